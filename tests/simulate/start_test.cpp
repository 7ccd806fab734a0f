// Starts and jumps that violate the constraints.
#include <gtest/gtest.h>

#include "support/builders.hpp"
#include "support/messages.hpp"
#include "support/random_scene.hpp"
#include "taut/constraints/distance.hpp"
#include "taut/constraints/formula.hpp"
#include "taut/constraints/on_circle.hpp"
#include "taut/scene/scene.hpp"
#include "taut/simulate/settle.hpp"

namespace taut {
namespace {

using testing::arm;
using testing::run;

const double turn = 0.1 * M_PI / 2;

// Radius 50, starts at 65 with speed 50, turned 9° outward from the tangent.
System bead() {
  System system;
  const BodyId particle =
      system.add(Particle{1, {65, 0, 0}, {50 * std::sin(turn), 50 * std::cos(turn), 0}});
  constrain(system, OnCircle{particle, world_point(0, 0, 0), {world_body, Vec3::UnitZ()}, 50});
  return system;
}

// Only radial impulses act, so the angular momentum 65 · 50 cos turn stays.
TEST(Settle, KeepsTheAngularMomentumOfTheBead) {
  const System system = bead();
  State state = system.initial_state();
  Workspace workspace(system);
  const SettleReport settled = Settle().apply(system, state, workspace);
  EXPECT_NEAR(settled.before.position, 15, 1e-12);
  EXPECT_LT(settled.after.position, 1e-11);
  EXPECT_LT(settled.after.velocity, 1e-11);
  EXPECT_NEAR(settled.position_change, 15, 1e-10);
  EXPECT_LT((state.v - VecX(Vec3(0, 65 * std::cos(turn), 0))).norm(), 1e-10);
  EXPECT_DOUBLE_EQ(state.time, 0);
}

// A bent chain that nothing holds, with lengths that are off by a tenth.
System free_chain(bool moving) {
  System system;
  testing::Random random(7);
  const std::vector<Vec3> places{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {2, 1, 0.5}};
  for (const Vec3& place : places)
    system.add(Particle{1 + place.norm(), place, moving ? random.vector() : Vec3(Vec3::Zero())});
  for (int i = 1; i < 4; ++i) constrain(system, Distance{BodyId{i - 1}, BodyId{i}, 0.9});
  return system;
}

TEST(Settle, KeepsMomentumAndAngularMomentum) {
  const System system = free_chain(true);
  State state = system.initial_state();
  Workspace workspace(system);
  const auto momenta = [&] {
    VecX p;
    system.apply_mass(state.v, p);
    Vec6 sum = Vec6::Zero();
    for (int i = 0; i < 4; ++i) {
      const Vec3 one = p.segment<3>(3 * i), at = state.q.segment<3>(3 * i);
      sum.head<3>() += one;
      sum.tail<3>() += at.cross(one);
    }
    return sum;
  };
  const Vec6 before = momenta();
  const SettleReport settled = Settle().apply(system, state, workspace);
  EXPECT_LT(settled.after.position, 1e-12);
  EXPECT_LT(settled.after.velocity, 1e-12);
  EXPECT_GT(settled.position_change, 0.05);
  EXPECT_LT((momenta() - before).norm(), 1e-10);
}

TEST(Settle, WhatIsAtRestStaysAtRest) {
  const System system = free_chain(false);
  State state = system.initial_state();
  Workspace workspace(system);
  EXPECT_LT(Settle().apply(system, state, workspace).after.position, 1e-12);
  EXPECT_DOUBLE_EQ(state.v.norm(), 0);
}

TEST(Start, NoMethodRingsOnTheBead) {
  const double first_order = run(bead(), "implicit1", 0.01, 10).energy.final;
  EXPECT_NEAR(first_order, 2060.55, 0.01);
  for (const char* method : {"implicit2", "shake", "rattle", "rk4_projected", "dop853"}) {
    const RunReport report = run(bead(), method, 0.01, 10);
    EXPECT_NEAR(std::sqrt(report.energy.final / first_order), 1, 0.05) << method;
    EXPECT_LT(report.energy.max_abs_error, 0.3) << method;
    EXPECT_EQ(report.activation.count, 1) << method;
    EXPECT_EQ(report.activation.times, std::vector<double>{0}) << method;
    EXPECT_NEAR(report.activation.error_before, 15, 1e-12) << method;
    EXPECT_LT(report.activation.error_after, 1e-10) << method;
    EXPECT_NEAR(report.activation.position_change, 15, 1e-9) << method;
    EXPECT_NEAR(report.activation.energy_change, 810.8, 0.1) << method;
  }
}

TEST(Start, AsIsIsLeftToTheMethod) {
  const RunReport report = testing::run_as_is(bead(), "implicit2", 0.01, 1);
  EXPECT_EQ(report.activation.count, 0);
  EXPECT_GT(report.final_state.v.norm(), 3000);
}

TEST(Start, ALegalOneIsNotTouched) {
  for (const char* method : {"implicit1", "dop853"}) {
    EXPECT_EQ(run(arm(5, 1), method, 0.01, 0.1).activation.count, 0);
    EXPECT_EQ(run(testing::rod_pendulum(1, 0.3), method, 0.01, 0.1).activation.count, 0);
  }
}

TEST(Start, AnIllegalVelocityIsProjectedAtOnce) {
  System system;
  const BodyId body = system.add(Particle{2, {1, 0, 0}, {3, 4, 0}});
  constrain(system, Distance{world_point(0, 0, 0), body, 1.0});
  const RunReport report = run(system, "dop853", 0.01, 1);
  EXPECT_EQ(report.activation.count, 1);
  EXPECT_DOUBLE_EQ(report.activation.position_change, 0);
  EXPECT_DOUBLE_EQ(report.activation.velocity_change, 3);
  EXPECT_DOUBLE_EQ(report.activation.rate_before, 3);
  EXPECT_NEAR(report.activation.energy_change, -9, 1e-12);
  EXPECT_NEAR(report.final_state.v.norm(), 4, 1e-9);
  EXPECT_LT(report.energy.max_abs_error, 1e-9);
}

TEST(Start, OfConflictingConstraintsIsACompromiseThatStaysBounded) {
  System system;
  apply(system, Gravity{});
  const BodyId a = system.add(Particle{1, {0, 0, 0}}), b = system.add(Particle{1, {1, 0, 0}});
  constrain(system, Pin{a, Vec3(0, 0, 0)});
  constrain(system, Pin{b, Vec3(1, 0, 0)});
  constrain(system, Distance{a, b, 0.9});
  const RunReport report = run(system, "rk4_projected", 0.01, 10);
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  EXPECT_EQ(report.cost.compromise_steps, report.steps);
  EXPECT_EQ(report.cost.unconverged_steps, 0);
  EXPECT_EQ(report.activation.count, 1);
  EXPECT_NEAR(report.final_state.q[0], 0.1 / 3, 1e-4);
  EXPECT_LT(report.final_state.v.norm(), 1e-6);
}

// Jumps -------------------------------------------------------------------------------------------

// A bead on a circle whose radius jumps by `by` at time 0.503.
struct JumpingRadius {
  static constexpr std::string_view type = "jumping_radius";
  static constexpr std::string_view summary = "a circle that jumps";
  static constexpr std::string_view unit = "m";
  static constexpr int rows = 1;
  static constexpr int anchor_count = 1;
  Point point;
  double by = -0.2;
  std::array<Anchor, 1> anchors() const { return {point}; }
  bool depends_on_time() const { return true; }
  template <class T>
  Eigen::Matrix<T, 1, 1> value(const Columns<T, 1>& x, const T& time) const {
    using std::sqrt;
    T radius(1.0);
    if (T(0.503) < time) radius += T(by);
    return Eigen::Matrix<T, 1, 1>(sqrt(x[0] * x[0] + x[1] * x[1]) - radius);
  }
};

System jumping(double by) {
  System system;
  const BodyId body = system.add(Particle{1, {1, 0, 0}, {0, 1, 0}});
  constrain(system, Formula<JumpingRadius>{{body, by}}, "ring");
  return system;
}

// Nobody knows which way to push the ends of a rod apart that are in one place.
TEST(Start, ARodWithoutADirectionIsNamed) {
  System system;
  apply(system, Gravity{});
  const BodyId bob = system.add(Particle{1, {1, 2, 3}});
  constrain(system, Distance{world_point(1, 2, 3), bob, 0.5}, "rod");
  const RunReport report = run(system, "rattle", 0.01, 0.1);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_TRUE(testing::has_all(report.warnings.front(), "distance \"rod\"|0.5 m|one place"));
  EXPECT_FALSE(report.is_trusted());
}

TEST(Jump, OfADrivenConstraintIsSettled) {
  for (const char* method : {"implicit1", "implicit2", "rattle", "rk4_projected", "dop853"}) {
    const RunReport report = run(jumping(-0.2), method, 0.01, 1);
    EXPECT_EQ(report.status, RunStatus::ok) << method << ": " << report.reason;
    EXPECT_EQ(report.activation.count, 1) << method;
    ASSERT_EQ(report.activation.times.size(), 1u) << method;
    EXPECT_NEAR(report.activation.times[0], 0.503, 1e-5) << method;
    EXPECT_NEAR(report.activation.error_before, 0.2, 1e-3) << method;
    EXPECT_NEAR(report.final_state.v.norm(), 1 / 0.8, 0.01) << method;  // angular momentum
    EXPECT_EQ(run(jumping(0), method, 0.01, 1).activation.count, 0) << method;
  }
}

TEST(Jump, IsSettledWithAutomaticStepsToo) {
  RunOptions options;
  options.duration = 1;
  options.tolerance = 1e-8;
  const System system = jumping(-0.2);
  const RunReport report =
      simulate(system, system.initial_state(), *make_method("dop853"), options);
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  EXPECT_EQ(report.activation.count, 1);
  EXPECT_NEAR(report.final_state.v.norm(), 1 / 0.8, 1e-6);
}

// However fast and however coarsely sampled, a smooth drive does not jump.
TEST(Jump, IsNotSeenInASmoothDrive) {
  System system;
  const Motion<Vec3> swing = SineMotion<Vec3>{Vec3::Zero(), {0.2, 0, 0.1}, 3, 0};
  const BodyId pivot = system.add(Particle{1, {0, 0, 0}, swing.at(0).rate});
  constrain(system, Pin{pivot, swing});
  for (const double h : {1e-3, 0.01, 0.1, 0.3, 1.0})
    EXPECT_EQ(run(system, "implicit1", h, 10 * h).activation.count, 0) << h;
}

// 1000 N on 2 kg from 0.3011 to 0.3077 s, within a step of 0.01 s.
double place_after_blow(double time) {
  const double begin = 0.3011, end = 0.3077, acceleration = 500;
  const double pushed = std::clamp(time, begin, end) - begin;
  return acceleration * pushed * (0.5 * pushed + std::max(0.0, time - end));
}

io::Scene pushed_by(const std::string& force) {
  return io::parse_scene(R"json({
    "taut": 1, "name": "pushed",
    "bodies": [{"type": "particle", "name": "p", "mass": 2, "position": [0, 0, 0]}],
    "constraints": [{"type": "on_line", "point": "p", "through": [0, 0, 0], "along": [1, 0, 0]}],
    "forces": [{"type": "force", "point": "p", "force": {"type": "formula", "value": ["=)json" +
                             force + R"json(", 0, 0]}}]
  })json",
                         "pushed");
}

TEST(Jump, OfAForceDividesTheStep) {
  const io::Scene scene = pushed_by("1000*(floor(min(t/0.3011,1))-floor(min(t/0.3077,1)))");
  for (const char* method : {"implicit2", "rattle", "energy_momentum", "rk4_projected", "dop853"}) {
    const RunReport report = run(scene.system, method, 0.01, 1);
    EXPECT_EQ(report.status, RunStatus::ok) << method << ": " << report.reason;
    EXPECT_EQ(report.activation.count, 0) << method;
    EXPECT_NEAR(report.final_state.q[0], place_after_blow(1), 1e-5) << method;
  }
}

TEST(Jump, OfAForceIsRecordedWithAutomaticSteps) {
  const io::Scene scene = pushed_by("1+5*floor(min(t/0.3011,1))");
  RunOptions options;
  options.duration = 1;
  options.tolerance = 1e-6;
  options.record_interval = 0.01;
  int recorded = 0;
  options.record = [&](const State& state, const VecX&) {
    ++recorded;
    const double t = state.time, after = std::max(0.0, t - 0.3011);
    EXPECT_NEAR(state.q[0], 0.25 * t * t + 1.25 * after * after, 1e-6) << t;
  };
  simulate(scene.system, scene.system.initial_state(), *make_method("dop853"), options);
  EXPECT_EQ(recorded, 101);
}

}  // namespace
}  // namespace taut
