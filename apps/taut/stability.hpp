#pragma once

#include "commands.hpp"

namespace taut::cli {

/// taut stability map, in a file of its own.
void add_stability_map(CLI::App& stability, Action& chosen);

}  // namespace taut::cli
