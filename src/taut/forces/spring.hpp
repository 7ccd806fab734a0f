// A spring and damper between two points: along d = b − a, l = |d|,
//   tension = k (l − L) + c dl/dt,   V = ½ k (l − L)².
#pragma once

#include <string_view>
#include <vector>

#include "taut/model/point.hpp"

namespace taut {

class System;

struct Spring {
  static constexpr std::string_view type = "spring";
  static constexpr std::string_view summary = "spring and damper between two points";

  Point a, b;
  double stiffness = 1;
  double damping = 0;
  double length = 0;
};
void apply(System& system, Spring force);
/// Many at once.
void apply(System& system, std::vector<Spring> forces);

}  // namespace taut
