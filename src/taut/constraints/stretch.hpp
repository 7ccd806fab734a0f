// A triangle of particles that is not stretched along one of its own directions, as cloth along its
// yarns; or, with slack, not by more than a given ratio.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "taut/model/point.hpp"

namespace taut {

class System;

struct Stretch {
  static constexpr std::string_view type = "stretch";
  static constexpr std::string_view summary =
      "a triangle of particles is not stretched along a direction in it";

  ParticleGroup points;            ///< three
  Vec3 direction = Vec3::UnitX();  ///< at the start; its part in the triangle's plane counts
  double ratio = 1;
  bool slack = false;
  bool is_thread = false;  ///< of a cloth: RowLaw::is_thread
};
/// Throws Error where there are four points, or the direction is square to the triangle.
void constrain(System& system, Stretch constraint, std::string name = "");
void constrain(System& system, std::vector<Stretch> constraints, std::vector<std::string> names);

}  // namespace taut
