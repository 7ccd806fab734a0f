// A point of one body on a smooth wire that is fixed in another and moves with it: on_curve in the
// frame of that body, y_i = e_i·(x − o).
#pragma once

#include <string>
#include <string_view>

#include "taut/model/curve.hpp"
#include "taut/model/point.hpp"

namespace taut {

class System;

struct PointOnSpline {
  static constexpr std::string_view type = "point_on_spline";
  static constexpr std::string_view summary = "a point slides on a smooth wire fixed in a body";

  Point point;
  BodyId body;
  Curve curve;
};
void constrain(System& system, PointOnSpline constraint, std::string name = "");

}  // namespace taut
