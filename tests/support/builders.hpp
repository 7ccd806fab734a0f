// Small systems that many tests use.
#pragma once

#include "taut/constraints/ball.hpp"
#include "taut/constraints/distance.hpp"
#include "taut/constraints/pin.hpp"
#include "taut/forces/gravity.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut::testing {

/// Point masses on massless links of length L along +x from the origin, under gravity along −y.
inline System arm(int links, double L, double mass = 1, DistanceForm form = DistanceForm::length) {
  System system;
  apply(system, Gravity{});
  Point last = world_point(0, 0, 0);
  for (int i = 1; i <= links; ++i) {
    const Point next = system.add(Particle{mass, {i * L, 0, 0}}, "node" + std::to_string(i));
    constrain(system, Distance{last, next, L, form}, "link" + std::to_string(i));
    last = next;
  }
  return system;
}

/// Nodes along x between two places exactly their links' length apart: a taut line, whose rows are
/// dependent where it is straight.
inline System taut_line(int links, double L, const Vec3& gravity) {
  System system;
  apply(system, Gravity{gravity});
  Point last = world_point(0, 0, 0);
  for (int i = 1; i < links; ++i) {
    const Point next = system.add(Particle{1, {i * L, 0, 0}});
    constrain(system, Distance{last, next, L});
    last = next;
  }
  constrain(system, Distance{last, world_point(links * L, 0, 0), L});
  return system;
}

/// A uniform thin rod of length L, hung by its end at the origin, at an angle from the vertical.
inline System rod_pendulum(double L, double angle) {
  System system;
  apply(system, Gravity{});
  RigidBody rod;  // along its own y axis
  rod.mass = 2;
  rod.inertia = Vec3(rod.mass * L * L / 12, 1e-3, rod.mass * L * L / 12).asDiagonal();
  rod.orientation = Quat(Eigen::AngleAxisd(angle, Vec3::UnitZ()));
  rod.position = rod.orientation * Vec3(0, -0.5 * L, 0);
  const BodyId body = system.add(rod, "rod");
  constrain(system, Ball{world_point(0, 0, 0), Point(body, {0, 0.5 * L, 0})}, "hinge");
  return system;
}

/// A run from the system's initial state.
inline RunReport run(const System& system, std::string_view method, double step, double duration,
                     std::vector<OptionValue> options = {}, Recorder record = {},
                     std::string solver = "auto") {
  RunOptions run_options;
  run_options.step = step;
  run_options.duration = duration;
  run_options.record = std::move(record);
  run_options.solver = std::move(solver);
  const auto made = make_method(method, options);
  return simulate(system, system.initial_state(), *made, run_options);
}

/// The same, with the method left alone: nothing is settled, and a failed step stays failed.
inline RunReport run_as_is(const System& system, std::string_view method, double step,
                           double duration, std::vector<OptionValue> options = {},
                           Recorder record = {}) {
  RunOptions run_options;
  run_options.step = step;
  run_options.duration = duration;
  run_options.record = std::move(record);
  run_options.start = Start::as_is;
  run_options.max_halvings = 0;
  return simulate(system, system.initial_state(), *make_method(method, options), run_options);
}

/// A square of n × n particles in the x–z plane, its edges along rows and columns constraints; the
/// corners of its first row pinned, one width apart, so that this row is taut; or just one of them.
inline System square_cloth(int n, int pins = 2, double width = 1, double density = 0.15) {
  System system;
  apply(system, Gravity{});
  const double l = width / (n - 1);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) system.add(Particle{density * l * l, {j * l, 0, i * l}});
  const auto edge = [&](int a, int b) {
    constrain(system, Distance{BodyId{a}, BodyId{b}, l, DistanceForm::squared});
  };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j + 1 < n; ++j) edge(i * n + j, i * n + j + 1);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i + 1 < n; ++i) edge(i * n + j, (i + 1) * n + j);
  constrain(system, Pin{BodyId{0}, {}});
  if (pins > 1) constrain(system, Pin{BodyId{n - 1}, {}});
  return system;
}

/// Whether a method, with its default options, leaves constraints violated on purpose: springs do,
/// and so does what permits strain.
inline bool gives_way(std::string_view method) {
  return method == "penalty" || method == "implicit_springs" || method.starts_with("strain_limit");
}

}  // namespace taut::testing
