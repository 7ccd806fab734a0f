// A spring and damper between two points: along d = b − a, l = |d|,
//   tension = k (l − L) + c dl/dt,   V = ½ k (l − L)².
#pragma once

#include <tuple>

#include "taut/base/field.hpp"
#include "taut/forces/batch.hpp"

namespace taut {

struct Spring {
  static constexpr std::string_view type = "spring";
  static constexpr std::string_view summary = "spring and damper between two points";

  Point a, b;
  double stiffness = 1;
  double damping = 0;
  double length = 0;

  static constexpr auto fields() {
    return std::tuple{
        required("a", &Spring::a, "", "one end"), required("b", &Spring::b, "", "other end"),
        required("stiffness", &Spring::stiffness, "N/m", "", Range::non_negative),
        optional("damping", &Spring::damping, "N·s/m", "along the spring", Range::non_negative),
        optional("length", &Spring::length, "m", "where it is slack", Range::non_negative)};
  }

  void add(const System&, const Pose& pose, const VecX& v, double, VecX& F) const {
    const Vec3 d = pose.at(b) - pose.at(a);
    const double l = d.norm();
    if (!(l > 0)) return;  // no direction
    const Vec3 n = d / l;
    double tension = stiffness * (l - length);
    if (damping > 0) tension += damping * n.dot(pose.velocity(b, v) - pose.velocity(a, v));
    pose.add_force(a, tension * n, F);
    pose.add_force(b, -tension * n, F);
  }
  double potential(const System&, const Pose& pose) const {
    const double stretch = (pose.at(b) - pose.at(a)).norm() - length;
    return 0.5 * stiffness * stretch * stretch;
  }
  bool is_conservative() const { return damping == 0; }
  bool depends_on_velocity() const { return damping > 0; }
};

}  // namespace taut
