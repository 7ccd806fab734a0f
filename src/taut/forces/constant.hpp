// A constant force at a point, and a constant torque on a rigid body; in the world's directions or
// in the body's, where they turn with it.
#pragma once

#include <tuple>

#include "taut/base/error.hpp"
#include "taut/base/field.hpp"
#include "taut/forces/force_batch.hpp"

namespace taut {

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

  static constexpr auto fields() {
    return std::tuple{required("point", &ConstantForce::point, "", "where it acts"),
                      required("force", &ConstantForce::force, "N", ""),
                      optional("frame", &ConstantForce::frame, "",
                               "whether the force keeps its direction or turns with the body")};
  }

  void add(const System&, const Pose& pose, const VecX&, double, VecX& F) const {
    const Vec3 f = frame == Frame::world ? force : pose.at(Direction{point.body, force});
    pose.add_force(point, f, F);
  }
  double potential(const System&, const Pose& pose) const {
    return frame == Frame::world ? -force.dot(pose.at(point)) : 0;
  }
  bool is_conservative() const { return frame == Frame::world; }
  bool depends_on_velocity() const { return false; }
};

struct ConstantTorque {
  static constexpr std::string_view type = "torque";
  static constexpr std::string_view summary = "constant torque on a rigid body";

  BodyId body;
  Vec3 torque = Vec3::Zero();
  Frame frame = Frame::world;

  static constexpr auto fields() {
    return std::tuple{required("body", &ConstantTorque::body, "", "a rigid body"),
                      required("torque", &ConstantTorque::torque, "N·m", ""),
                      optional("frame", &ConstantTorque::frame, "",
                               "whether the torque keeps its direction or turns with the body")};
  }

  void add(const System& system, const Pose& pose, const VecX&, double, VecX& F) const {
    const BodySlot& slot = system.slot(body);
    TAUT_CHECK(slot.rigid >= 0);
    const Mat3& R = pose.rotations[static_cast<std::size_t>(slot.rigid)];
    F.segment<3>(slot.v + 3) += frame == Frame::world ? Vec3(R.transpose() * torque) : torque;
  }
  double potential(const System&, const Pose&) const { return 0; }
  bool is_conservative() const { return torque.isZero(0); }
  bool depends_on_velocity() const { return false; }
};

}  // namespace taut
