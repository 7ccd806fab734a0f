// What forces did that a step did not resolve.
//
// A servo, spring or damper that is far too stiff for a step is often right in its effect and wrong
// in its law: at the states between steps it would exert anything (Promises::Forces). What it did
// then follows from the motion. With the mean acceleration ā of the last part of the step, and the
// acceleration a that all laws would cause at its end, both with the constraints,
//
//   Bᵀ(a − ā) + G (τ − τ_law) = 0,   G = Bᵀ P W B,   least ≤ τ ≤ most,
//
// where a column of B is the generalised force of a unit of τ, and P takes away what constraints do
// not let happen: inverse dynamics. Forces that do the same share it in proportion to their
// stiffness κ = h²k + h d, and what moves nothing, as a servo in a joint that is driven, does what
// its law says: 1/(many κ) is added to the diagonal of G.
//
// What is at the same bound at both ends of the part was so in between.
//
// A step resolves its forces if Σ Bᵀ P W B κ ≤ 1. What is met before the constraints gives way to
// them as Bᵀ W B κ, however small that is.
#pragma once

#include <vector>

#include "taut/methods/method.hpp"
#include "taut/solve/box_solver.hpp"

namespace taut::detail {

class ActingForces {
 public:
  static constexpr int most = 200;  ///< forces that may be stiff; of more, laws tell

  explicit ActingForces(const System& system);

  /// How the method that makes the steps treats forces.
  void use(Promises::Forces forces) { forces_ = forces; }
  /// Whether they may do what their laws do not tell.
  bool may_differ() const {
    return forces_ != Promises::Forces::at_states && count_ > 0 && count_ <= most;
  }
  /// At the end of a part. False: it resolved them, and laws tell.
  bool look(const State& state, const MeanMotion& mean);
  /// After that, where `w` has rows and their factors at the state, and laws make this
  /// acceleration. What the forces did beside their laws is added to `beside`. False as above.
  bool find(const MeanMotion& mean, const VecX& acceleration, Workspace& w, VecX& beside);

  /// J: what the part of the motion that constraints do not allow changed in that part. Where it is
  /// not small, velocities are no measure of forces.
  double jitter() const { return jitter_; }
  /// Per named force of the system: what it exerted; NaN: what its law says.
  const std::vector<double>& exerted() const { return exerted_; }

 private:
  struct Force {
    std::size_t batch;
    int number;
    double stiffness, law;
    Bounds bounds;
  };
  bool meets_them_before() const { return forces_ == Promises::Forces::before_constraints; }
  void take_constraints_away(Workspace& w, VecX& motion);

  const System& system_;
  Promises::Forces forces_ = Promises::Forces::at_states;
  int count_ = 0;
  std::vector<double> exerted_;
  // Scratch: the stiff forces, B and P W B.
  std::vector<Force> stiff_;
  std::vector<VecX> along_, response_;
  double jitter_ = 0;
  double free_ = 0;   // Σ Bᵀ W B κ
  Pose start_, end_;  // of the part
  VecX column_, off_, way_, q_, v_;
  BoxSolver solver_;
};

}  // namespace taut::detail
