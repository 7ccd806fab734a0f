// The heart of SHAKE and RATTLE: constraint impulses along the directions J(q)ᵀ of the start of the
// step, with sizes such that the constraints hold at its end.
#pragma once

#include "taut/methods/iterated_method.hpp"
#include "taut/solve/krylov.hpp"

namespace taut {

/// What SHAKE and RATTLE have in common.
struct FrozenDirectionMethod : IteratedMethod {
  FrozenDirectionMethod() : IteratedMethod(1e-13, 50) {}
};

class FrozenDirection {
 public:
  /// Of a displacement that takes no time: rows on velocities have no part in it. Their rows must
  /// be set aside in workspace.start.
  bool takes_no_time = false;

  /// How long the constraint forces act, p = λ·time, relative to h: bounds are those of λ.
  double force_time = 1;

  /// Finds p with C(q ⊕ h v⁺, t+h) = 0, v⁺ = v − W J(q)ᵀ p. In: v without constraint forces, rows
  /// of `q` in workspace.start. Out: v = v⁺, q_end; C, J and C_t there in workspace.end. Converged
  /// when max |C| ≤ tolerance · max(1, max |q|). Else the report says so, and the iterate with the
  /// smallest max |C| is returned.
  void solve(const System& system, double h, const State& state, double tolerance,
             int max_iterations, Workspace& workspace, VecX& v, VecX& q_end, StepReport& report);

  const VecX& impulse() const { return p_; }

 private:
  bool decide_rows(double h, double nothing, double length, bool one_only, Workspace& workspace,
                   VecX& v);
  void evaluate_end(const System& system, double h, const State& state, const VecX& q_end,
                    Workspace& workspace) const;

  VecX p_, delta_, rhs_, p_best_, v_best_;
  BicgstabScratch krylov_;
};

}  // namespace taut
