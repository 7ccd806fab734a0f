// b turns about an axis of a and slides along it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "taut/constraints/joint_frame.hpp"

namespace taut {

class System;

struct Cylindrical : JointFrame {
  static constexpr std::string_view type = "cylindrical";
  static constexpr std::string_view summary =
      "a body turns about an axis of another and slides along it";

  double turn_at_start = 0;
  std::optional<double> slide_at_start;
};
void constrain(System& system, Cylindrical constraint, std::string name = "");

}  // namespace taut
