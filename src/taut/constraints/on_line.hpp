// A point on a straight line through o, fixed in the world or carried by a body: with two unit
// normals n₁, n₂ square to the line, C_i = n_i·(x − o).
#pragma once

#include <string>
#include <string_view>

#include "taut/model/point.hpp"

namespace taut {

class System;

struct OnLine {
  static constexpr std::string_view type = "on_line";
  static constexpr std::string_view summary = "a point slides on a straight line";

  Point point;
  Point through;
  Direction along;
};
void constrain(System& system, OnLine constraint, std::string name = "");

}  // namespace taut
