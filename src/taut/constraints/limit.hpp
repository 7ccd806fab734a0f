// A joint's coordinate stays within bounds: lower ≤ c ≤ upper. Its row acts only while it is at a
// bound and pushes away from it: see RowLaw and simulate/bounded_step.hpp.
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "taut/model/coordinate.hpp"

namespace taut {

class System;

struct Limit {
  static constexpr std::string_view type = "limit";
  static constexpr std::string_view summary = "a joint moves between two stops";

  Coordinate joint;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double restitution = 0;
};
void constrain(System& system, Limit constraint, std::string name = "");

}  // namespace taut
