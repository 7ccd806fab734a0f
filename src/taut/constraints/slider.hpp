// b slides along an axis of a and does not turn.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "taut/constraints/joint_frame.hpp"

namespace taut {

class System;

struct Slider : JointFrame {
  static constexpr std::string_view type = "slider";
  static constexpr std::string_view summary =
      "a body slides along an axis of another without turning";

  std::optional<double> slide_at_start;
};
void constrain(System& system, Slider constraint, std::string name = "");

}  // namespace taut
