// Uniform gravity on every body: F = m g, V = −m g·p.
#pragma once

#include <tuple>

#include "taut/base/field.hpp"
#include "taut/forces/force_batch.hpp"

namespace taut {

struct Gravity {
  static constexpr std::string_view type = "gravity";
  static constexpr std::string_view summary = "uniform gravity on every body";

  Vec3 acceleration{0, -9.81, 0};

  static constexpr auto fields() {
    return std::tuple{
        optional("acceleration", &Gravity::acceleration, "m/s²", "direction and strength")};
  }

  void add(const System& system, const Pose&, const VecX&, double, VecX& F) const {
    for (int i = 0; i < system.body_count(); ++i)
      F.segment<3>(system.slot({i}).v) += system.mass({i}) * acceleration;
  }
  double potential(const System& system, const Pose& pose) const {
    double energy = 0;
    for (int i = 0; i < system.body_count(); ++i)
      energy -= system.mass({i}) * acceleration.dot(pose.position(system.slot({i}).q));
    return energy;
  }
  bool is_conservative() const { return true; }
  bool depends_on_velocity() const { return false; }
};

}  // namespace taut
