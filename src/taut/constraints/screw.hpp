// b turns about an axis of a and is moved along it by `pitch` per turn.
#pragma once

#include <string>
#include <string_view>

#include "taut/constraints/joint_frame.hpp"

namespace taut {

class System;

struct Screw : JointFrame {
  static constexpr std::string_view type = "screw";
  static constexpr std::string_view summary =
      "a body moves along an axis of another as it turns about it";

  double pitch = 0.01;
  double turn_at_start = 0;
};
void constrain(System& system, Screw constraint, std::string name = "");

}  // namespace taut
