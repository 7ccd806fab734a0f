// A given force at a point, and a given torque on a rigid body, constant or a function of time; in
// the directions of the world, or in those of the body, where they turn with it.
#pragma once

#include <array>
#include <string_view>

#include "taut/base/type_info.hpp"
#include "taut/model/motion.hpp"
#include "taut/model/point.hpp"

namespace taut {

class System;

enum class Frame { world, body };
template <>
struct Choices<Frame> {
  static constexpr std::array<std::string_view, 2> names{"world", "body"};
};

struct PointForce {
  static constexpr std::string_view type = "force";
  static constexpr std::string_view summary =
      "a given force at a point, constant or a function of time";

  Point point;
  Motion<Vec3> force = Vec3(0, 0, 0);
  Frame frame = Frame::world;
};
void apply(System& system, PointForce force);

struct BodyTorque {
  static constexpr std::string_view type = "torque";
  static constexpr std::string_view summary =
      "a given torque on a rigid body, constant or a function of time";

  BodyId body;
  Motion<Vec3> torque = Vec3(0, 0, 0);
  Frame frame = Frame::world;
};
void apply(System& system, BodyTorque force);

}  // namespace taut
