// Two bodies do not move relative to each other.
#pragma once

#include <string>
#include <string_view>

#include "taut/constraints/joint_frame.hpp"

namespace taut {

class System;

struct Weld : JointFrame {
  static constexpr std::string_view type = "weld";
  static constexpr std::string_view summary = "two bodies are rigidly connected";
};
void constrain(System& system, Weld constraint, std::string name = "");

}  // namespace taut
