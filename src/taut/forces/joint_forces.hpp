// Forces along the coordinate c of a joint: a spring and damper, and a given torque (or force).
#pragma once

#include <array>
#include <tuple>

#include "taut/base/field.hpp"
#include "taut/forces/force_batch.hpp"
#include "taut/model/coordinate.hpp"
#include "taut/model/motion.hpp"

namespace taut {
namespace detail {

inline Coordinate::Places places_of(const Coordinate& joint, const Pose& pose) {
  Coordinate::Places x;
  for (int k = 0; k < 3; ++k) x.col(k) = pose.at(joint.anchors[static_cast<std::size_t>(k)]);
  return x;
}
inline Coordinate::Places velocities_of(const Coordinate& joint, const Pose& pose, const VecX& v) {
  Coordinate::Places x;
  for (int k = 0; k < 3; ++k)
    x.col(k) = pose.velocity(joint.anchors[static_cast<std::size_t>(k)], v);
  return x;
}
/// Adds the generalised force of `torque` along a coordinate with that gradient.
inline void add_along(const Coordinate& joint, const Pose& pose, double torque,
                      const Coordinate::Places& gradient, VecX& F) {
  for (int k = 0; k < 3; ++k)
    pose.add_force(joint.anchors[static_cast<std::size_t>(k)], torque * gradient.col(k), F);
}

}  // namespace detail

/// torque = −k (c − c₀) − d ċ,  V = ½ k (c − c₀)². A turn is measured from c₀ the shorter way
/// round.
struct JointSpring {
  static constexpr std::string_view type = "joint_spring";
  static constexpr std::string_view summary = "spring and damper in a joint";

  Coordinate joint;
  double stiffness = 0, damping = 0, rest = 0;

  static constexpr auto fields() {
    return std::tuple{
        required("joint", &JointSpring::joint, "", "where it acts"),
        optional("stiffness", &JointSpring::stiffness, "N·m/rad or N/m",
                 "a turn is measured the shorter way round", Range::non_negative),
        optional("damping", &JointSpring::damping, "N·m·s/rad or N·s/m", "", Range::non_negative),
        optional("rest", &JointSpring::rest, "rad or m",
                 "the joint's coordinate where it is slack")};
  }

  void add(const System&, const Pose& pose, const VecX& v, double, VecX& F) const {
    const Coordinate::Places x = detail::places_of(joint, pose), gradient = joint.gradient(x);
    double torque = -stiffness * stretch(x);
    if (damping > 0)
      torque -= damping * gradient.cwiseProduct(detail::velocities_of(joint, pose, v)).sum();
    detail::add_along(joint, pose, torque, gradient, F);
  }
  // V₁ − V₀ = k ½(s₀ + s₁)(s₁ − s₀), and s₁ − s₀ = D·(x₁ − x₀).
  void add_between(const System&, const Passage& passage, const VecX& v_mean, VecX& F) const {
    const Coordinate::Places x0 = detail::places_of(joint, passage.from),
                             x1 = detail::places_of(joint, passage.to);
    const Coordinate::Places D =
        joint.gradient_between(x0, x1, detail::places_of(joint, passage.mean));
    double torque = -stiffness * 0.5 * (stretch(x0) + stretch(x1));
    if (damping > 0)
      torque -= damping * D.cwiseProduct(detail::velocities_of(joint, passage.mean, v_mean)).sum();
    detail::add_along(joint, passage.mean, torque, D, F);
  }

  static constexpr int anchor_count = 3;
  int couplings(const System&) const { return 1; }
  std::array<Anchor, 3> anchors(const System&, int) const { return joint.anchors; }
  AnchorStiffness<3> derivatives(const Coordinate::Places& x, const Coordinate::Places&,
                                 double rate) const {
    const Coordinate::Places gradient = joint.gradient(x);
    const Eigen::Map<const Eigen::Matrix<double, 9, 1>> g(gradient.data());
    return {(stiffness + damping * rate) * g * g.transpose(), stiffness * stretch(x) * gradient};
  }

  double potential(const System&, const Pose& pose) const {
    const double s = stretch(detail::places_of(joint, pose));
    return 0.5 * stiffness * s * s;
  }
  bool is_conservative() const { return damping == 0; }
  bool depends_on_velocity() const { return damping > 0; }

 private:
  double stretch(const Coordinate::Places& x) const {
    const double s = joint.value(x) - rest;
    return joint.is_turn() ? shorter_way(s) : s;
  }
};

/// A torque in a joint (a force in one that slides), constant or a motion of the time.
struct JointTorque {
  static constexpr std::string_view type = "joint_torque";
  static constexpr std::string_view summary =
      "a given torque or force in a joint: the simplest motor";

  Coordinate joint;
  Motion<double> torque = 0;

  static constexpr auto fields() {
    return std::tuple{required("joint", &JointTorque::joint, "", "where it acts"),
                      required("torque", &JointTorque::torque, "N·m or N",
                               "along the joint's coordinate, a number or a motion")};
  }

  void add(const System&, const Pose& pose, const VecX&, double time, VecX& F) const {
    detail::add_along(joint, pose, torque.value(time),
                      joint.gradient(detail::places_of(joint, pose)), F);
  }
  double potential(const System&, const Pose&) const { return 0; }
  bool is_conservative() const { return torque.is_constant() && torque.value(0) == 0; }
  bool depends_on_velocity() const { return false; }
};

}  // namespace taut
