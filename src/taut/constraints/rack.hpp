// A pinion on a rack: the slide moves by radius × angle.
#pragma once

#include <string>
#include <string_view>

#include "taut/model/coordinate.hpp"

namespace taut {

class System;

struct Rack {
  static constexpr std::string_view type = "rack";
  static constexpr std::string_view summary = "a pinion that turns moves a rack that slides";

  Coordinate first, second;
  double radius = 1;
};
void constrain(System& system, Rack constraint, std::string name = "");

}  // namespace taut
