// A constant force at a point, and a constant torque on a rigid body; in the world's directions or
// in the body's, where they turn with it.
#pragma once

#include <array>
#include <string_view>

#include "taut/base/type_info.hpp"
#include "taut/model/point.hpp"

namespace taut {

class System;

enum class Frame { world, body };
template <>
struct Choices<Frame> {
  static constexpr std::array<std::string_view, 2> names{"world", "body"};
};

struct ConstantForce {
  static constexpr std::string_view type = "force";
  static constexpr std::string_view summary = "constant force at a point";

  Point point;
  Vec3 force = Vec3::Zero();
  Frame frame = Frame::world;
};
void apply(System& system, ConstantForce force);

struct ConstantTorque {
  static constexpr std::string_view type = "torque";
  static constexpr std::string_view summary = "constant torque on a rigid body";

  BodyId body;
  Vec3 torque = Vec3::Zero();
  Frame frame = Frame::world;
};
void apply(System& system, ConstantTorque force);

}  // namespace taut
