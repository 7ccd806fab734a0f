// Two joints move in a fixed ratio: m₁ = ratio · m₂, of what they have moved since the start.
#pragma once

#include <string>
#include <string_view>

#include "taut/model/coordinate.hpp"

namespace taut {

class System;

struct Gear {
  static constexpr std::string_view type = "gear";
  static constexpr std::string_view summary = "two joints move in a fixed ratio";

  Coordinate first, second;
  double ratio = 1;

  /// A ratio as numbers of teeth.
  struct Fraction {
    double over, under;
  };
  static Fraction fraction(double ratio);
};
void constrain(System& system, Gear constraint, std::string name = "");

}  // namespace taut
