#pragma once

#include "taut/methods/method.hpp"

namespace taut {

/// The velocity v⁺ of a first-order implicit step from `state`: also the predictor of implicit2.
/// Leaves the rows at the start of the step in workspace.start, F and λ in the workspace.
void implicit1_velocity(const System& system, double h, const State& state, Workspace& workspace,
                        VecX& v_next, StepReport& report);

}  // namespace taut
