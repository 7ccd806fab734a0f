// A spring in a hinge that is wound up over many turns: it must count them.
#include <gtest/gtest.h>

#include <cmath>

#include "support/builders.hpp"
#include "taut/constraints/hinge.hpp"
#include "taut/forces/joint_forces.hpp"

namespace taut {
namespace {

constexpr double spin = 37;  // rad/s at the start: it turns by 37 rad to each side

/// A wheel with the moment of inertia 1 on a hinge with a spring of stiffness 1: θ = 37 sin t.
System wound_wheel() {
  System system;
  RigidBody wheel;
  wheel.inertia = Vec3(0.7, 0.7, 1).asDiagonal();
  wheel.angular_velocity = {0, 0, spin};
  Hinge hinge;
  hinge.b = system.add(wheel, "wheel");
  constrain(system, hinge, "axle");
  apply(system, JointSpring{system.joint_coordinate("axle"), 1});
  return system;
}

RunOptions options(double step, double duration) {
  RunOptions options;
  options.step = step;
  options.duration = duration;
  options.reactions = true;
  return options;
}

class EveryMethodOnASpring : public ::testing::TestWithParam<MethodInfo> {};
INSTANTIATE_TEST_SUITE_P(JointSpring, EveryMethodOnASpring, ::testing::ValuesIn(methods()),
                         [](const auto& listed) { return std::string(listed.param.name); });

TEST_P(EveryMethodOnASpring, WindsUpAndUnwindsAsASine) {
  const System system = wound_wheel();
  const auto method = make_method(GetParam().name);
  const RunReport report =
      simulate(system, system.initial_state(), *method, options(1e-3, 2 * M_PI));
  ASSERT_EQ(report.status, RunStatus::ok) << report.reason;
  ASSERT_EQ(report.joints.size(), 1u);
  const auto& turn = report.joints[0].coordinates[0];
  EXPECT_NEAR(turn.largest, spin, 0.02 * spin);
  EXPECT_NEAR(turn.least, -spin, 0.02 * spin);
  EXPECT_NEAR(turn.final, 0, 0.02 * spin);
  EXPECT_NEAR(turn.final_rate, spin, 0.02 * spin);
}

TEST(JointSpring, EnergyStaysOverManyTurns) {
  const System system = wound_wheel();
  for (const double step : {0.01, 0.05}) {  // up to 1.85 rad in a step
    const RunReport report = simulate(system, system.initial_state(),
                                      *make_method("energy_momentum"), options(step, 60));
    EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
    EXPECT_TRUE(report.energy.conservative);
    EXPECT_LT(report.energy.max_abs_error, 1e-10 * report.energy.initial) << step;
    EXPECT_GT(report.joints[0].coordinates[0].largest, 30);
  }
}

TEST(JointSpring, IsExactWithChosenSteps) {
  const System system = wound_wheel();
  RunOptions chosen = options(0, 2.5);
  chosen.tolerance = 1e-10;
  const RunReport report = simulate(system, system.initial_state(), *make_method("dop853"), chosen);
  ASSERT_EQ(report.status, RunStatus::ok) << report.reason;
  EXPECT_NEAR(report.joints[0].coordinates[0].final, spin * std::sin(2.5), 1e-6);
}

// The turns are part of the state: nothing else needs to be known to go on from it.
TEST(JointSpring, AStateCanBeCopiedAndContinued) {
  const System system = wound_wheel();
  const auto advance = [&](State& state, int steps) {
    Workspace workspace(system);
    const auto method = make_method("rattle");
    for (int i = 0; i < steps; ++i) method->step(system, 1e-3, state, workspace);
  };
  State whole = system.initial_state();
  advance(whole, 2000);
  State half = system.initial_state();
  advance(half, 1000);
  EXPECT_NEAR(system.energy(half), 0.5 * spin * spin, 1e-3 * spin * spin);
  State copy = half;
  advance(copy, 1000);
  EXPECT_LT((copy.q - whole.q).norm(), 1e-9);
  EXPECT_LT((copy.v - whole.v).norm(), 1e-9);
}

TEST(JointSpring, RestMayBeTurnsAway) {
  System system = wound_wheel();
  apply(system, JointSpring{system.joint_coordinate("axle"), 2, 0, 20});
  VecX F;
  const State start = system.initial_state();
  system.forces(Pose(system, start.q), start.v, 0, F);
  EXPECT_NEAR(F[5], 2 * 20, 1e-12);
}

}  // namespace
}  // namespace taut
