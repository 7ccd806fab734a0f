// What tests of mechanisms ask of a run.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/builders.hpp"
#include "taut/analysis/method_choice.hpp"
#include "taut/constraints/list.hpp"
#include "taut/forces/list.hpp"
#include "taut/scene/scene.hpp"

namespace taut::testing {

constexpr double pi = std::numbers::pi;

/// The first row of the constraint with this name.
inline int row_of(const System& system, std::string_view name) {
  int row = 0;
  for (const auto& batch : system.constraints())
    for (int i = 0; i < batch->size(); ++i) {
      if (batch->name(i) == name) return row;
      row += batch->rows_per_constraint();
    }
  ADD_FAILURE() << "no constraint " << name;
  return 0;
}

inline Vec3 position(const System& system, const State& state, std::string_view body) {
  return state.q.segment<3>(system.slot(system.find_body(body).value()).q);
}
inline Vec3 velocity(const System& system, const State& state, std::string_view body) {
  return state.v.segment<3>(system.slot(system.find_body(body).value()).v);
}
inline Quat orientation(const System& system, const State& state, std::string_view body) {
  const int q = system.slot(system.find_body(body).value()).q + 3;
  return {state.q[q], state.q[q + 1], state.q[q + 2], state.q[q + 3]};
}
/// In the world's directions.
inline Vec3 angular_velocity(const System& system, const State& state, std::string_view body) {
  const Vec3 local = state.v.segment<3>(system.slot(system.find_body(body).value()).v + 3);
  return orientation(system, state, body) * local;
}

/// A run that also keeps what the recorders saw last.
struct Watched {
  RunReport report;
  VecX lambda;
  std::vector<JointSample> joints;

  /// Value and rate of a joint's only, or first, coordinate.
  const JointSample::Moved& joint(std::string_view name) const {
    for (const JointSample& each : joints)
      if (each.joint->name == name) return each.coordinates.at(0);
    ADD_FAILURE() << "no joint " << name;
    return joints.at(0).coordinates.at(0);
  }
};
/// In `steps` equal steps. With "auto" in the method's place, what suits the scene.
inline Watched watch(const System& system, std::string_view method, long steps, double duration,
                     std::vector<OptionValue> options = {}) {
  Watched watched;
  RunOptions run;
  run.step = duration / static_cast<double>(steps);
  run.duration = duration;
  run.record_every = steps;
  run.record = [&](const State&, const VecX& lambda) { watched.lambda = lambda; };
  run.record_joints = [&](double, const std::vector<JointSample>& joints) {
    watched.joints = joints;
  };
  std::string chosen(method);
  if (method == auto_method) {
    const MethodChoice choice = choose_method(system, system.initial_state(), run.step, duration);
    chosen = choice.method;
    options = choice.options;
  }
  const auto made = make_method(chosen, options);
  watched.report = simulate(system, system.initial_state(), *made, run);
  EXPECT_EQ(watched.report.status, RunStatus::ok) << method << ": " << watched.report.reason;
  return watched;
}

/// ∫ from 0 to π of a function that is even and periodic there: the trapezoidal rule, which for
/// such functions has no error but round-off.
template <class F>
double integral_over_half_a_turn(const F& f, int points = 400) {
  double sum = 0.5 * (f(0.0) + f(pi));
  for (int i = 1; i < points; ++i) sum += f(pi * i / points);
  return sum * pi / points;
}

/// A hinge of `b` in the world, or in another body.
inline Hinge hinge(BodyId b, const Vec3& at, const Vec3& axis, BodyId a = world_body) {
  Hinge hinge;
  if (!a.is_world()) hinge.a = Point(a);
  hinge.b = Point(b);
  hinge.at = at;
  hinge.axis = {world_body, axis};
  return hinge;
}

}  // namespace taut::testing
