// Uniform gravity on every body: F = m g, V = −m g·p.
#pragma once

#include <string_view>

#include "taut/model/point.hpp"

namespace taut {

class System;

struct Gravity {
  static constexpr std::string_view type = "gravity";
  static constexpr std::string_view summary = "uniform gravity on every body";

  Vec3 acceleration{0, -9.81, 0};
};
void apply(System& system, Gravity force);

}  // namespace taut
