// A joint's coordinate follows a prescribed motion: C = c − c*(t). Its multiplier, turned round, is
// the torque (or force) that the motor needs: inverse dynamics.
#pragma once

#include <string>
#include <string_view>

#include "taut/model/coordinate.hpp"
#include "taut/model/motion.hpp"

namespace taut {

class System;

struct Drive {
  static constexpr std::string_view type = "drive";
  static constexpr std::string_view summary =
      "a joint follows a prescribed motion; its force is what that takes";

  Coordinate joint;
  Motion<double> position;
};
void constrain(System& system, Drive constraint, std::string name = "");

}  // namespace taut
