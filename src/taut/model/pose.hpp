// Kinematics of one configuration: where anchors are, how they move, and what a force at an anchor
// does to its body.
#pragma once

#include <vector>

#include "taut/base/types.hpp"
#include "taut/model/point.hpp"

namespace taut {

class System;

/// Where a body's numbers are in q and v.
struct BodySlot {
  int q;
  int v;
  int rigid;  ///< number among the rigid bodies, −1 for a particle
};

/// A configuration q with the rotation matrices that belong to it.
struct Pose {
  const BodySlot* slots = nullptr;
  const double* q = nullptr;
  std::vector<Mat3> rotations;

  Pose() = default;
  Pose(const System& system, const VecX& configuration) { set(system, configuration); }
  /// Refers to `configuration`: it must outlive the use of the pose and not change meanwhile.
  void set(const System& system, const VecX& configuration);

  Vec3 position(int slot_q) const { return Eigen::Map<const Vec3>(q + slot_q); }

  /// x = s·p + R·l
  Vec3 at(const Anchor& anchor) const {
    if (anchor.body.is_world()) return anchor.local;
    const BodySlot& slot = slots[anchor.body.index];
    if (slot.rigid < 0) return anchor.is_direction ? anchor.local : position(slot.q);
    const Vec3 arm = rotations[static_cast<std::size_t>(slot.rigid)] * anchor.local;
    return anchor.is_direction ? arm : Vec3(position(slot.q) + arm);
  }

  /// ẋ = s·v + R (ω × l)
  Vec3 velocity(const Anchor& anchor, const VecX& v) const {
    if (anchor.body.is_world()) return Vec3::Zero();
    const BodySlot& slot = slots[anchor.body.index];
    if (slot.rigid < 0)
      return anchor.is_direction ? Vec3(Vec3::Zero()) : Vec3(v.segment<3>(slot.v));
    const Vec3 turning = rotations[static_cast<std::size_t>(slot.rigid)] *
                         v.segment<3>(slot.v + 3).cross(anchor.local);
    return anchor.is_direction ? turning : Vec3(v.segment<3>(slot.v) + turning);
  }

  /// ẍ at v̇ = 0: R (ω × (ω × l))
  Vec3 centripetal(const Anchor& anchor, const VecX& v) const {
    if (anchor.body.is_world()) return Vec3::Zero();
    const BodySlot& slot = slots[anchor.body.index];
    if (slot.rigid < 0) return Vec3::Zero();
    const Vec3 w = v.segment<3>(slot.v + 3);
    return rotations[static_cast<std::size_t>(slot.rigid)] * w.cross(w.cross(anchor.local));
  }

  /// Adds to out the generalised force of `f` acting at the anchor: (s·f, l × Rᵀf).
  void add_force(const Anchor& anchor, const Vec3& f, VecX& out) const {
    if (anchor.body.is_world()) return;
    const BodySlot& slot = slots[anchor.body.index];
    if (!anchor.is_direction) out.segment<3>(slot.v) += f;
    if (slot.rigid < 0) return;
    out.segment<3>(slot.v + 3) +=
        anchor.local.cross(rotations[static_cast<std::size_t>(slot.rigid)].transpose() * f);
  }
};

}  // namespace taut
