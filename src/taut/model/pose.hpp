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
  std::vector<Mat3> inverses;  ///< R⁻¹

  Pose() = default;
  Pose(const System& system, const VecX& configuration) { set(system, configuration); }
  Pose(const Pose& other) { *this = other; }
  Pose& operator=(const Pose& other);
  Pose(Pose&&) = default;
  Pose& operator=(Pose&&) = default;
  ~Pose() = default;
  /// Refers to `configuration`: it must outlive the use of the pose and not change meanwhile.
  void set(const System& system, const VecX& configuration);

  /// After the configuration of one body has changed.
  void update(BodyId body);

  /// The mean of two poses, which puts every anchor half way: p̄ = ½(p₀ + p₁), R̄ = ½(R₀ + R₁). R̄ is
  /// no rotation, and is just what conserves energy and angular momentum. Let R₁ = R₀ cay(a),
  /// a = h ω̄. Then R₁ − R₀ = R̄ a×, so an anchor moves by x₁ − x₀ = h (v̄ + R̄(ω̄ × l)); and a force f
  /// at x̄, whose torque about p̄ is R̄l × f, enters Euler's equations of the implicit midpoint rule
  /// as R̄⁻¹(R̄l × f), with the power f·R̄(ω̄ × l).
  void set_mean(const System& system, const Pose& first, const Pose& second);

  bool is_particle(BodyId body) const { return !body.is_world() && slots[body.index].rigid < 0; }

  Vec3 position(int slot_q) const { return Eigen::Map<const Vec3>(q + slot_q); }

  /// x = s·p + R·l
  [[gnu::always_inline]] Vec3 at(const Anchor& anchor) const {
    if (anchor.body.is_world()) return anchor.local;
    const BodySlot& slot = slots[anchor.body.index];
    if (slot.rigid < 0) return anchor.is_direction ? anchor.local : position(slot.q);
    const Vec3 arm = rotations[static_cast<std::size_t>(slot.rigid)] * anchor.local;
    return anchor.is_direction ? arm : Vec3(position(slot.q) + arm);
  }

  /// ẋ = s·v + R (ω × l); of a spin, R ω
  Vec3 velocity(const Anchor& anchor, const VecX& v) const {
    if (anchor.body.is_world()) return Vec3::Zero();
    const BodySlot& slot = slots[anchor.body.index];
    if (slot.rigid < 0)
      return anchor.is_direction ? Vec3(Vec3::Zero()) : Vec3(v.segment<3>(slot.v));
    if (anchor.is_spin)
      return rotations[static_cast<std::size_t>(slot.rigid)] * v.segment<3>(slot.v + 3);
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

  /// The torque of `f` at an anchor of a rigid body, in the body's frame: R⁻¹(Rl × f).
  Vec3 torque(int rigid, const Vec3& local, const Vec3& f) const {
    const std::size_t i = static_cast<std::size_t>(rigid);
    return inverses[i] * (rotations[i] * local).cross(f);
  }

  /// Adds to out the generalised force of `f` acting at the anchor: (s·f, R⁻¹(Rl × f)).
  [[gnu::always_inline]] void add_force(const Anchor& anchor, const Vec3& f, VecX& out) const {
    if (anchor.body.is_world()) return;
    const BodySlot& slot = slots[anchor.body.index];
    if (!anchor.is_direction) out.segment<3>(slot.v) += f;
    if (slot.rigid < 0) return;
    out.segment<3>(slot.v + 3) += torque(slot.rigid, anchor.local, f);
  }

 private:
  VecX mean_;  // what q refers to after set_mean()
};

}  // namespace taut
