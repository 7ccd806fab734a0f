// A point on a plane that moves as prescribed, through o(t) and square to n(t): C = n(t)·(x −
// o(t)).
#pragma once

#include <string>
#include <string_view>

#include "taut/model/motion.hpp"
#include "taut/model/point.hpp"

namespace taut {

class System;

struct OnMovingPlane {
  static constexpr std::string_view type = "on_moving_plane";
  static constexpr std::string_view summary = "a point stays on a plane with a prescribed motion";

  Point point;
  Motion<Vec3> through = Vec3(0, 0, 0);
  Motion<Vec3> normal = Vec3(0, 0, 1);
};
void constrain(System& system, OnMovingPlane constraint, std::string name = "");

}  // namespace taut
