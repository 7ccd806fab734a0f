// b turns about an axis of a: two points coincide, and the axis of a stays square to two directions
// of b.
#pragma once

#include <string>
#include <string_view>

#include "taut/constraints/joint_frame.hpp"

namespace taut {

class System;

struct Hinge : JointFrame {
  static constexpr std::string_view type = "hinge";
  static constexpr std::string_view summary = "a body turns about an axis of another";

  double turn_at_start = 0;
};
void constrain(System& system, Hinge constraint, std::string name = "");

}  // namespace taut
