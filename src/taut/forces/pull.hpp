// A point is pulled to a place, or after one that moves, by a spring and a damper that act alike in
// all directions:
//   f = k (p(t) − x) + c (ṗ(t) − ẋ),   V = ½ k |x − p|² where p is constant.
// Unlike a spring without length it has no direction to lose, and its damper resists sideways, too.
#pragma once

#include <string_view>

#include "taut/model/motion.hpp"
#include "taut/model/point.hpp"

namespace taut {

class System;

struct Pull {
  static constexpr std::string_view type = "pull";
  static constexpr std::string_view summary =
      "a spring and damper pull a point to a place, or along a motion";

  Point point;
  Motion<Vec3> to;
  double stiffness = 1;
  double damping = 0;
};
void apply(System& system, Pull force);

}  // namespace taut
