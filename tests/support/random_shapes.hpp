// Random and adversarial pairs of convex shapes.
#pragma once

#include <string>

#include "taut/collision/shape.hpp"

namespace taut::testing {

struct ShapePair {
  collision::Shape a, b;
  collision::Pose3 at_a, at_b;
  double size = 1;   ///< of the larger one
  std::string kind;  ///< how it was made
};

/// The same for the same seed. `largest_hull`: points of which hulls are made.
ShapePair random_pair(unsigned seed, int largest_hull = 12);

}  // namespace taut::testing
