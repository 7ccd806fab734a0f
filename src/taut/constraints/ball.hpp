// Two points coincide (ball and socket): C = b − a.
#pragma once

#include <string>
#include <string_view>

#include "taut/model/point.hpp"

namespace taut {

class System;

struct Ball {
  static constexpr std::string_view type = "ball";
  static constexpr std::string_view summary = "two points coincide: a ball-and-socket joint";

  Point a, b;
};
void constrain(System& system, Ball constraint, std::string name = "");

}  // namespace taut
