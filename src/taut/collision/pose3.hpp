// Where a shape is: a rotation and then a shift.
#pragma once

#include "taut/base/types.hpp"

namespace taut::collision {

struct Pose3 {
  Mat3 rotation = Mat3::Identity();
  Vec3 position = Vec3::Zero();

  Pose3() = default;
  explicit Pose3(const Vec3& at) : position(at) {}
  Pose3(const Vec3& at, const Mat3& turn) : rotation(turn), position(at) {}
  Pose3(const Vec3& at, const Quat& turn) : rotation(turn.toRotationMatrix()), position(at) {}

  /// A point of the shape's frame in the world.
  Vec3 operator*(const Vec3& local) const { return rotation * local + position; }
  /// The pose of what has the pose `inner` in this frame.
  Pose3 operator*(const Pose3& inner) const {
    return {rotation * inner.position + position, Mat3(rotation * inner.rotation)};
  }
  /// The pose of `other`, seen from this one.
  Pose3 relative(const Pose3& other) const {
    return {rotation.transpose() * (other.position - position),
            Mat3(rotation.transpose() * other.rotation)};
  }
  /// A point of the world in the shape's frame.
  Vec3 to_local(const Vec3& point) const { return rotation.transpose() * (point - position); }
};

}  // namespace taut::collision
