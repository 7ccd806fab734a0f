// Forces along the coordinate c of a joint: a spring and damper, and a given torque (or force).
#pragma once

#include <string_view>

#include "taut/model/coordinate.hpp"
#include "taut/model/motion.hpp"

namespace taut {

class System;

/// torque = −k (c − c₀) − d ċ,  V = ½ k (c − c₀)². Full revolutions of a turn count: see
/// System::count_turns().
struct JointSpring {
  static constexpr std::string_view type = "joint_spring";
  static constexpr std::string_view summary = "spring and damper in a joint";

  Coordinate joint;
  double stiffness = 0, damping = 0, rest = 0;
};
void apply(System& system, JointSpring force);

/// A torque in a joint (a force in one that slides), constant or a motion of the time.
struct JointTorque {
  static constexpr std::string_view type = "joint_torque";
  static constexpr std::string_view summary =
      "a given torque or force in a joint: the simplest motor";

  Coordinate joint;
  Motion<double> torque = 0;
};
void apply(System& system, JointTorque force);

}  // namespace taut
