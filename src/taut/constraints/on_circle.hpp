// A bead on a circular wire: the circle of radius r about o in the plane square to the unit axis n,
// as the cut of that plane with a sphere. With d = x − o:
//   C₁ = n·d,   C₂ = |d| − r.
#pragma once

#include <string>
#include <string_view>

#include "taut/model/point.hpp"

namespace taut {

class System;

struct OnCircle {
  static constexpr std::string_view type = "on_circle";
  static constexpr std::string_view summary = "a point slides on a circle, like a bead on a wire";

  Point point;
  Point center;
  Direction axis;
  double radius = 1;
};
void constrain(System& system, OnCircle constraint, std::string name = "");

}  // namespace taut
