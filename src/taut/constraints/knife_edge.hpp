// A point of a body that does not move across an edge, as of a skate or a thin wheel on a plane:
// with a = n × e, n the plane's normal and e the direction of the edge, a·ẋ = 0. It says nothing
// about where the point may get: a row on velocities.
#pragma once

#include <string>
#include <string_view>

#include "taut/model/point.hpp"

namespace taut {

class System;

struct KnifeEdge {
  static constexpr std::string_view type = "knife_edge";
  static constexpr std::string_view summary = "a point moves along an edge only, like a skate";

  Point point;
  Direction edge{world_body, Vec3::UnitX()};  ///< at the start; it turns with the body of the point
  Direction normal{world_body, Vec3::UnitZ()};
};
void constrain(System& system, KnifeEdge constraint, std::string name = "");

}  // namespace taut
