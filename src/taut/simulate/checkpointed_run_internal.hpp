#pragma once

#include "taut/simulate/simulation.hpp"

namespace taut::detail {

/// simulate(), with checkpoints: simulate/checkpoint.hpp
RunReport simulate_with_checkpoints(const System& system, const State& start, Method& method,
                                    const RunOptions& options);

/// What a System's sources of contacts have found so far is forgotten.
void forget_contacts(const System& system);

}  // namespace taut::detail
