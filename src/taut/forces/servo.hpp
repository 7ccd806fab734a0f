// A controller drives a joint towards a target, as far as its drive can:
//   u = kp (c* − c) + kd (w − ċ) + feedforward,
//   torque = clamp(u, min, max) · r(ċ),
// c the joint's coordinate (whole turns counted), c* the target, w its speed. r is 1, but where the
// torque drives the joint near or beyond the largest speed: there it falls to 0 over the last 1 %,
// (max_speed − |ċ|)/(0.01 max_speed). So the drive never makes the joint faster than that, and
// there is no chatter; it brakes as before, and others may turn the joint faster.
#pragma once

#include <limits>
#include <string_view>

#include "taut/model/coordinate.hpp"
#include "taut/model/motion.hpp"

namespace taut {

class System;

struct Servo {
  static constexpr std::string_view type = "servo";
  static constexpr std::string_view summary =
      "a controller drives a joint to a target, with bounded torque and speed";

  Coordinate joint;
  Motion<double> target;  ///< not given: where the joint is at the start
  Motion<double> speed;   ///< w; not given: the rate of the target
  double stiffness = 0;   ///< kp
  double damping = 0;     ///< kd
  Motion<double> feedforward = 0;
  // The joint's own limits (Coordinate::largest_effort, largest_speed) hold besides.
  double max = std::numeric_limits<double>::infinity();
  double min = std::numeric_limits<double>::quiet_NaN();  ///< not a number: −max
  double max_speed = std::numeric_limits<double>::infinity();
};
void apply(System& system, Servo force);

}  // namespace taut
