// A point held at a place, or led along a prescribed motion p(t): C = x − p(t).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "taut/model/motion.hpp"
#include "taut/model/point.hpp"

namespace taut {

class System;

struct Pin {
  static constexpr std::string_view type = "pin";
  static constexpr std::string_view summary = "a point is held in place or follows a motion";

  Point point;
  Motion<Vec3> at;
  std::optional<double> until{};
};
void constrain(System& system, Pin constraint, std::string name = "");

}  // namespace taut
