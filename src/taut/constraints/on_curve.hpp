// A bead on a smooth wire c(s). With s* the parameter of the nearest point of the wire and two unit
// normals n₁, n₂ of the wire there: C_i = n_i(s*)·(x − c(s*)).
#pragma once

#include <string>
#include <string_view>

#include "taut/model/curve.hpp"
#include "taut/model/point.hpp"

namespace taut {

class System;

struct OnCurve {
  static constexpr std::string_view type = "on_curve";
  static constexpr std::string_view summary = "a point slides on a smooth wire, closed or open";

  Point point;
  Curve curve;
};
void constrain(System& system, OnCurve constraint, std::string name = "");

}  // namespace taut
