// A point is attracted to the origin, as by a planet: F = −strength·x/|x|³.
#pragma once

#include <taut/forces/force_batch.hpp>

struct Attraction {
  static constexpr std::string_view type = "attraction";
  static constexpr std::string_view summary = "a point is attracted to the origin";

  taut::Point point;
  double strength = 1;  // N·m²

  void add(const taut::System&, const taut::Pose& pose, const taut::VecX& /*v*/, double /*time*/,
           taut::VecX& F) const {
    const taut::Vec3 x = pose.at(point);
    pose.add_force(point, -strength / std::pow(x.norm(), 3) * x, F);
  }
  double potential(const taut::System&, const taut::Pose& pose) const {
    return -strength / pose.at(point).norm();
  }
  bool is_conservative() const { return true; }
  bool depends_on_velocity() const { return false; }
};
