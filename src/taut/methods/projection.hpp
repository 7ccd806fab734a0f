// Mass-weighted projections on to the constraints, and the constraint forces at a state.
#pragma once

#include "taut/methods/method.hpp"

namespace taut {

/// The q nearest to the given one, in the sense of M, with C(q, t) = 0. Converged when
/// max |C| ≤ tolerance · max(1, max |q|), or when round-off allows no better. Where the constraints
/// contradict each other: the least-squares compromise, status `compromise`. Adds its iterations to
/// the report; report.residual is at least the max |C| that remains. C, J, C_t and W J at the new q
/// are left in workspace.end. Uses workspace.rhs and correction; leaves λ alone.
void project_position(const System& system, double time, VecX& q, Workspace& workspace,
                      StepReport& report, double tolerance = 1e-13);

/// The v nearest to the given one, in the sense of M, with J v + C_t = 0.
/// Expects W J, C_t and J of q in workspace.end, as project_position leaves them.
void project_velocity(VecX& v, Workspace& workspace, StepReport& report);
/// … at (q, t).
void project_velocity(const System& system, double time, const VecX& q, VecX& v,
                      Workspace& workspace, StepReport& report);

/// Both, in place.
void project(const System& system, State& state, Workspace& workspace, StepReport& report);

/// The multipliers that the motion through this state has, A λ = J W F + J̇v + 2 C_qt v + C_tt:
/// constraint forces as accurate as q and v are, whatever method led there. Also v̇, where wanted.
/// Overwrites workspace.start, F, lambda and error_v.
void reactions(const System& system, const State& state, Workspace& workspace, VecX& lambda,
               StepReport& report, VecX* acceleration = nullptr);

}  // namespace taut
