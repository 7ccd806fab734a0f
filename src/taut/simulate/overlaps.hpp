// Shapes that are in each other before anything has moved.
#pragma once

#include <string>
#include <vector>

#include "taut/model/state.hpp"
#include "taut/model/system.hpp"

namespace taut {

struct Overlap {
  std::string a, b;  ///< the shapes: simulate/contact_names.hpp
  double depth = 0;  ///< m, at the deepest point
};

/// Pairs that overlap by more than `tolerance` times the system's size, the deepest first.
std::vector<Overlap> find_overlaps(const System& system, const State& state,
                                   double tolerance = 1e-9);

}  // namespace taut
