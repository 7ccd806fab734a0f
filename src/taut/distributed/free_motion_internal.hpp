// The free step of methods/free_step.hpp, explicit or implicit, over all processes: the same
// equations and the same decisions, with sums over everybody.
#pragma once

#include <memory>

#include "taut/distributed/domain_internal.hpp"
#include "taut/distributed/krylov_internal.hpp"
#include "taut/methods/free_step.hpp"
#include "taut/methods/method.hpp"

namespace taut::distributed {

class FreeMotion {
 public:
  FreeMotion(Domain& domain, FreeBase base);

  /// The velocity v̂ that forces alone lead to in a step of h, of all bodies that there are here.
  void predict(double h, const State& state, VecX& velocity, StepReport& report);

 private:
  void implicit_forces(double h, const State& state, VecX& velocity, StepReport& report);
  bool resolves_forces(double h, const VecX& velocity, double end);
  void add_mass(double h);
  void multiply(const double* in, double* out);
  void precondition(const double* in, double* out);
  void spread(const double* owned, VecX& all) const;
  void take(const VecX& all, double* owned) const;
  /// Forces at (q, v, t), and W F, of all bodies that there are here.
  void forces(const VecX& q, const VecX& v, double time);

  Domain& domain_;
  FreeBase base_;
  bool has_stiffness_ = false;  // somewhere
  Rows stiffness_;              // K, and then M/h² + K
  BodyDiagonal inverse_diagonal_;
  StiffnessProduct product_;
  std::unique_ptr<ConjugateGradients> solver_;
  bool resolves_ = false;
  int until_looked_ = 0;
  double looked_h_ = 0;
  VecX q_, way_, right_, in_, out_;
  VecX fastest_;
  VecX owned_right_, resistance_, residual_;  // per velocity that is owned
};

}  // namespace taut::distributed
