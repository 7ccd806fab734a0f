// A point on a plane through o with unit normal n: C = n·(x − o). The plane may be fixed in the
// world or carried by a body; C is bilinear in (n, x − o), which gives all derivatives.
#pragma once

#include <string>
#include <string_view>

#include "taut/model/point.hpp"

namespace taut {

class System;

struct OnPlane {
  static constexpr std::string_view type = "on_plane";
  static constexpr std::string_view summary = "a point stays on a plane";

  Point point;
  Point through;
  Direction normal;
};
void constrain(System& system, OnPlane constraint, std::string name = "");

}  // namespace taut
