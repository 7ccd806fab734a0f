// A rod on a hinge with a servo, and what sensors say of it over a run.
#pragma once

#include <string>
#include <vector>

#include "taut/scene/scene.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut::testing {

/// A rod of 1 m and 3 kg on a hinge at its end, at rest, level: inertia 1 kg·m² about the hinge,
/// weight 14.715 N·m there. `force`: what holds it, a whole force with the name "servo".
io::Scene held_rod(const std::string& force, double g = 0, const std::string& more = "");
/// … by a servo: its fields beside type, name and joint.
io::Scene rod(const std::string& servo, double g = 0, const std::string& more = "");

/// What sensors say at the end of each step.
struct Track {
  std::vector<double> time, angle, rate, torque, saturation, energy;
  /// If it was asked for: what the hinge transmits; place and velocity of the rod's centre.
  std::vector<double> fx, fy, x, y, vx, vy;
  RunStatus status = RunStatus::ok;
  bool is_trusted = false;
};

Track follow(const io::Scene& scene, const std::string& method, double h, double until,
             int every = 1, bool with_joint = false);

}  // namespace taut::testing
