// What the rows of a run have to do with its trouble.
#pragma once

#include "taut/simulate/simulation.hpp"

namespace taut {

/// Looks at the state in which a run was singular, or where it first took a compromise. Fills the
/// report's findings. Adds to its doubts whether the constraints contradict each other there or the
/// method just failed, and whether the method passed a position that it cannot pass.
void explain(const System& system, const Promises& promises, RunReport& report);

}  // namespace taut
