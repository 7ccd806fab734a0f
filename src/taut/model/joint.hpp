// A joint as its users see it: a name, two bodies, and how far it has moved.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "taut/model/coordinate.hpp"

namespace taut {

struct JointCoordinate {
  std::string_view name;  ///< "turn", "slide", …
  Coordinate coordinate;
};

struct Joint {
  std::string name;
  std::string_view type;
  Point a, b;
  std::vector<JointCoordinate> coordinates;
  /// What holds it together, which passes on its force; empty: the constraint of its own name.
  std::string constraint = {};
};

}  // namespace taut
