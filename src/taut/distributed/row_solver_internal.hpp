// A x = b with A = J W Jᵀ of all rows of the cloth, by conjugate gradients. Products go through J.
// The preconditioner is that of one process (solve/path_factor.hpp), made by each process for its
// own rows. What becomes of yarns that lead on to another process is a choice.
#pragma once

#include <memory>

#include "taut/distributed/domain_internal.hpp"
#include "taut/distributed/krylov_internal.hpp"
#include "taut/distributed/yarn_ends.hpp"
#include "taut/solve/normal_matrix.hpp"
#include "taut/solve/particle_rows.hpp"
#include "taut/solve/path_factor.hpp"

namespace taut::distributed {

class RowSolver {
 public:
  RowSolver(const Domain& domain, YarnEnds ends);

  /// What takes the place of W, per velocity; right for all bodies that there are here.
  void use(const VecX& mobility) { mobility_ = mobility; }
  /// J for products alone.
  void look(const VecX& J);
  void factor(const VecX& J);
  /// b and x are per row that there is here; those of x that matter are known at the end.
  ConjugateGradients::Result solve_within(const VecX& b, VecX& x, double tolerance);
  /// out = W Jᵀ x, right for owned bodies.
  void pull(const VecX& x, VecX& out) const;
  /// out += Jᵀ x, the same.
  void add_forces(const VecX& x, VecX& out) const;
  /// out = J v
  void multiply(const VecX& v, VecX& out) const;

 private:
  void multiply(const double* in, double* out);
  void precondition(const double* in, double* out);
  void spread(const double* owned, VecX& rows) const;
  void take(const VecX& rows, double* owned) const;

  const Domain& domain_;
  YarnEnds ends_;
  std::vector<int> factored_rows_;
  ParticleRows rows_;
  NormalMatrix A_;  // of those rows, where the paths read it
  PathFactor paths_;
  VecX mobility_;  // W, per velocity
  std::unique_ptr<ConjugateGradients> solver_;
  VecX b_, x_;          // per owned row
  VecX all_, product_;  // per row that there is here
  VecX pulled_, r_, z_;
};

}  // namespace taut::distributed
