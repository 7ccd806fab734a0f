// Three points a, b, c keep the angle at b: C = θ − θ₀(t), strictly between 0 and π.
#pragma once

#include <string>
#include <string_view>

#include "taut/model/motion.hpp"
#include "taut/model/point.hpp"

namespace taut {

class System;

struct Angle {
  static constexpr std::string_view type = "angle";
  static constexpr std::string_view summary = "three points keep the angle at the middle one";

  Point a, b, c;
  Motion<double> angle;
};
void constrain(System& system, Angle constraint, std::string name = "");

}  // namespace taut
