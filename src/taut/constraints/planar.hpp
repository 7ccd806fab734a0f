// b moves in a plane of a and turns about its normal.
#pragma once

#include <string>
#include <string_view>

#include "taut/constraints/joint_frame.hpp"

namespace taut {

class System;

struct Planar : JointFrame {
  static constexpr std::string_view type = "planar";
  static constexpr std::string_view summary = "a body slides on a plane of another and turns in it";

  double turn_at_start = 0;
};
void constrain(System& system, Planar constraint, std::string name = "");

}  // namespace taut
