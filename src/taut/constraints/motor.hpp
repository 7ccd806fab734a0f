// A joint is kept at a speed, as far as a bounded torque can: J v = u(t), |λ| ≤ max. With speed 0
// it is dry friction. See RowLaw and simulate/bounded_step.hpp.
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "taut/model/coordinate.hpp"
#include "taut/model/motion.hpp"

namespace taut {

class System;

struct Motor {
  static constexpr std::string_view type = "motor";
  static constexpr std::string_view summary =
      "keeps a joint at a speed with limited torque; with speed 0, dry friction";

  Coordinate joint;
  Motion<double> speed = 0;
  double max = std::numeric_limits<double>::infinity();
};
void constrain(System& system, Motor constraint, std::string name = "");

}  // namespace taut
