// Bending of a line at a point, or of two triangles about their common edge: a quadratic energy.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "taut/model/point.hpp"

namespace taut {

class System;

struct Bending {
  static constexpr std::string_view type = "bending";
  static constexpr std::string_view summary =
      "resists bending of a line of three particles, or of two triangles about their edge";

  ParticleGroup points;
  double stiffness = 0;
  double damping = 0;
  std::array<double, 4> weights{};  ///< measured when all are 0
};
void apply(System& system, Bending force);
/// Many at once.
void apply(System& system, std::vector<Bending> forces);

}  // namespace taut
