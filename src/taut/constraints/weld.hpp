// Two bodies do not move against each other.
#pragma once

#include <string>
#include <string_view>

#include "taut/constraints/joint_frame.hpp"

namespace taut {

class System;

struct Weld : JointFrame {
  static constexpr std::string_view type = "weld";
  static constexpr std::string_view summary = "two bodies do not move against each other";
};
void constrain(System& system, Weld constraint, std::string name = "");

}  // namespace taut
