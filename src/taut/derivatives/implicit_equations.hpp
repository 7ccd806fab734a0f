// The equations of a step, as functions of everything they depend on: where the step ends, where it
// began, what was before that, λ, and the system.
//
//   r = M (v⁺ − v_base)/τ + P(q, q⁺, V) + Bᵀλ,   C(q⁺, …) − ελ,      v⁺ = α δ − u,  δ = q⁺ ⊖ q,
//
// P being minus the forces. What α, τ, u, v_base and V are is in each method's own file:
//
//                   α      τ    u                 v_base               V
//   backward_euler  1/h    h    0                 v                    v⁺   icd
//   bdf2            1/h_b  h_b  (c/h_b) δ_before  v + c (v − v_before) v⁺   icd2
//   midpoint        2/h    h    v                 v                    δ/h  energy_momentum
//   frozen          1/h    h    0                 v                    v    shake
//   linearised      1/h    h    0                 v                    v    implicit1
//   half_frozen     1/h    h/2  0                 v                    v    rattle, as far as q⁺
//   projected       1/h    h    0                 v                    v⁺   … and its v⁺
//
// P and B are those at the end of the step, of midpoint over it, and of the last four at its start.
// Of linearised and projected, C is that of the start, continued: C(q) + h C_t + J(q) δ.
#pragma once

#include <optional>

#include "taut/methods/workspace.hpp"
#include "taut/model/state.hpp"
#include "taut/model/system.hpp"

namespace taut::detail {

enum class Formula { backward_euler, bdf2, midpoint, frozen, linearised, half_frozen, projected };

/// Whether forces and directions of constraints are those at the start of the step.
inline bool is_explicit(Formula formula) { return formula >= Formula::frozen; }
/// Whether C is that of the start, continued.
inline bool continues_C(Formula formula) {
  return formula == Formula::linearised || formula == Formula::projected;
}
/// Whether forces are those of the velocity at the start.
inline bool takes_v(Formula formula) {
  return is_explicit(formula) && formula != Formula::projected;
}
/// Whether NewtonStep solves it.
inline bool is_newton(Formula formula) { return !is_explicit(formula); }

/// A step as it was done.
struct StepRecord {
  double h = 0;
  State from, to;
  VecX lambda;
  // Of bdf2: the state before `from`, h_before earlier; 0: it began anew.
  double h_before = 0;
  State before;
  std::vector<RowModes::Mode> modes;  ///< in it
  bool in_solve = false;              ///< RowModes::in_solve
};

/// The numbers of a formula.
struct FormulaTerms {
  double alpha = 0, tau = 0;
  double carry = 0;  ///< c of bdf2
  bool over_step = false;
  FormulaTerms(Formula formula, const StepRecord& step);
};

/// Evaluates them. One for each system: it keeps what a system needs.
class ImplicitEquations {
 public:
  explicit ImplicitEquations(const System& system) : system_(system), w_(system) {}

  /// The residual at the places and velocities given; of the record, times, lengths, λ and modes
  /// count. `before` is only looked at where h_before > 0.
  struct At {
    const VecX &q0, &v0, &q1;
    const VecX *before_q = nullptr, *before_v = nullptr;
  };
  void residual(Formula formula, const StepRecord& step, const At& at, VecX& r, VecX& C);
  void residual(Formula formula, const StepRecord& step, VecX& r, VecX& C);
  /// P + Bᵀλ and C alone, at a velocity V.
  void forces_and_rows(Formula formula, const StepRecord& step, const VecX& q0, const VecX& q1,
                       const VecX& V, bool with_rows, VecX& P, VecX& C);

  /// Makes the rows with a law in the workspace what they are in a step that begins at q0.
  void use_modes(const StepRecord& step, const VecX& q0);

  /// Bᵀλ over the step alone, of midpoint, and minus the forces where they are wanted. The ends are
  /// those of the last call where none is given.
  void pull_over_step(const StepRecord& step, const VecX* q0, const VecX* q1, const VecX& V,
                      bool with_forces, VecX& P);

  const System& system() const { return system_; }
  Workspace& workspace() { return w_; }
  const RowPattern& pattern() const { return w_.pattern; }
  /// Of the last evaluation:
  const VecX& B() const { return *B_; }
  const VecX& delta() const { return delta_; }
  const VecX& velocity() const { return velocity_; }
  const VecX& end_velocity() const { return v1_; }
  const VecX& pull() const { return pull_; }  ///< Bᵀλ
  const Pose& start_pose() const { return start_pose_; }
  const Pose& mean_pose() const { return mean_pose_; }
  /// Where B is taken, and when, of those that are not over the step.
  const Pose& pull_pose(Formula formula) const {
    return is_explicit(formula) ? w_.start.pose : w_.end.pose;
  }
  /// J(q) δ + h C_t(q) at the start of a step.
  void way_of_rows(const StepRecord& step, const VecX& q, const VecX& delta, VecX& out);
  Rows& between() { return between_; }

 private:
  void forces_at_start(Formula formula, const StepRecord& step, const VecX& q0, const VecX& q1,
                       const VecX& V, bool with_rows, VecX& P, VecX& C);
  void give_way(Formula formula, const StepRecord& step, VecX& C) const;

  const System& system_;
  Workspace w_;
  Pose start_pose_, mean_pose_, end_pose_;
  Rows between_;
  const VecX* B_ = nullptr;
  VecX held_, delta_, velocity_, v1_, pull_, u_, base_, past_, product_, way_;
};

}  // namespace taut::detail
