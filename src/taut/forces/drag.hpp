// Resistance of the medium at a point, or at the centre of every body:
//   F = −(c₁ + c₂|v|) v,   and on rigid bodies the torque −c_ω ω.
#pragma once

#include <optional>
#include <string_view>

#include "taut/model/point.hpp"

namespace taut {

class System;

struct Drag {
  static constexpr std::string_view type = "drag";
  static constexpr std::string_view summary =
      "linear and quadratic drag at a point or on every body";

  std::optional<Point> point;
  double linear = 0;
  double quadratic = 0;
  double angular = 0;
};
void apply(System& system, Drag force);

}  // namespace taut
