// Forces that are given from outside, between two steps, and stay what they are during a step.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "taut/model/coordinate.hpp"
#include "taut/model/system.hpp"

namespace taut::python {

struct Loads {
  struct OnBody {
    Point point;
    Vec3 force, torque;  ///< in the world
  };
  struct OnJoint {
    Coordinate joint;
    double torque;  ///< or force, of a joint that slides
  };
  std::vector<OnBody> on_bodies;
  std::vector<OnJoint> on_joints;
  bool was_used = false;  ///< ever: then the energy need not be constant

  void clear() {
    on_bodies.clear();
    on_joints.clear();
  }
};

/// The force type of a system that reads them.
struct LoadForce {
  static constexpr std::string_view type = "load";
  static constexpr std::string_view summary = "forces that a program gives from step to step";
  std::shared_ptr<const Loads> loads;

  void add(const System& system, const Pose& pose, const VecX& v, double time, VecX& F) const;
  double potential(const System&, const Pose&) const { return 0; }
  bool is_conservative() const { return !loads->was_used; }
  bool is_passive() const { return !loads->was_used; }
  bool depends_on_velocity() const { return false; }
};

void apply_loads(System& system, std::shared_ptr<const Loads> loads);

}  // namespace taut::python
