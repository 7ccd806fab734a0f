// A cross between two forks: two points coincide, and an axis of a stays square to one of b.
#pragma once

#include <string>
#include <string_view>

#include "taut/constraints/joint_frame.hpp"
#include "taut/model/point.hpp"

namespace taut {

class System;

struct Universal : JointFrame {
  static constexpr std::string_view type = "universal";
  static constexpr std::string_view summary =
      "Cardan joint: two axes, one in each body, stay perpendicular";

  Direction second{world_body, Vec3::UnitX()};
  double turn_at_start = 0, second_turn_at_start = 0;
};
void constrain(System& system, Universal constraint, std::string name = "");

}  // namespace taut
