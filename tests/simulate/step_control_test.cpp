// Automatic steps, and output between them.
#include <gtest/gtest.h>

#include "support/builders.hpp"
#include "support/random_scene.hpp"
#include "taut/base/error.hpp"
#include "taut/methods/options.hpp"
#include "taut/reference/planar_pendulum.hpp"
#include "taut/scene/scene.hpp"

namespace taut {
namespace {

using testing::arm;

RunReport automatic(const System& system, Method& method, double tolerance, double duration,
                    Recorder record = {}, double interval = 0) {
  RunOptions options;
  options.tolerance = tolerance;
  options.duration = duration;
  options.record = std::move(record);
  options.record_interval = interval;
  return simulate(system, system.initial_state(), method, options);
}

RunReport automatic(const System& system, std::string_view method, double tolerance,
                    double duration, Recorder record = {}, double interval = 0) {
  return automatic(system, *make_method(method), tolerance, duration, std::move(record), interval);
}

double two_link_error(std::string_view method, double tolerance, RunReport& report) {
  report = automatic(arm(2, 10), method, tolerance, 5);
  reference::PlanarPendulum truth({{1, 1}, {10, 10}, {M_PI / 2, M_PI / 2}, {}, 9.81, Vec3::Zero()});
  truth.advance_to(5);
  return (report.final_state.q.segment<3>(3) - truth.position(1)).norm() / 20;
}

TEST(StepControl, ReachesItsTolerance) {
  RunReport report;
  double before = 0;
  long rejected = 0;
  for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
    const double error = two_link_error("dop853", tolerance, report);
    EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
    EXPECT_LT(error, 10 * tolerance) << tolerance;
    if (before > 0) {
      EXPECT_LT(error, before) << tolerance;
    }
    before = error;
    rejected += report.control.rejected;
    EXPECT_TRUE(report.control.automatic);
    EXPECT_EQ(report.control.accepted, report.steps);
    EXPECT_LT(report.control.smallest, report.control.largest);
    EXPECT_DOUBLE_EQ(report.time, 5);
    EXPECT_DOUBLE_EQ(report.final_state.time, 5);
  }
  EXPECT_GT(rejected, 0);
}

TEST(StepControl, DoublesTheStepsOfMethodsWithoutAnEstimate) {
  for (const char* method : {"implicit1", "implicit2", "rattle", "rk4_projected"}) {
    RunReport coarse, fine;
    const double a = two_link_error(method, 1e-4, coarse), b = two_link_error(method, 1e-6, fine);
    EXPECT_EQ(coarse.status, RunStatus::ok) << method;
    EXPECT_LT(a, 0.05) << method;
    EXPECT_LT(b, a / 4) << method;
    EXPECT_LT(b, 5e-3) << method;
    EXPECT_LT(fine.steps, 200000) << method;
  }
}

TEST(StepControl, IsGentleWhereTheMotionIsAndFineWhereItIsNot) {
  const RunReport report = automatic(arm(2, 10), "dop853", 1e-8, 10);
  EXPECT_GT(report.control.largest, 5 * report.control.smallest);
}

// A body that only turns: its centre has no error that could choose the steps.
TEST(StepControl, SeesErrorsOfOrientation) {
  System system;
  RigidBody body;
  body.inertia = Vec3(1, 2, 3).asDiagonal();
  body.angular_velocity = {0.1, 5, 0.1};
  system.add(body);
  const VecX truth = testing::run(system, "dop853", 1e-3, 5).final_state.q;
  const RunReport report = automatic(system, "dop853", 1e-7, 5);
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  EXPECT_LT((report.final_state.q - truth).norm(), 1e-4);
}

TEST(StepControl, RigidBodiesAndDrivenConstraints) {
  const System rod = testing::rod_pendulum(1, 1.0);
  const State truth = testing::run(rod, "dop853", 1e-3, 2).final_state;
  EXPECT_LT((automatic(rod, "dop853", 1e-10, 2).final_state.q - truth.q).norm(), 1e-8);
  EXPECT_LT((automatic(rod, "rk4_projected", 1e-8, 2).final_state.q - truth.q).norm(), 1e-5);
  EXPECT_LT((automatic(rod, "rattle", 1e-7, 2).final_state.q - truth.q).norm(), 1e-2);
}

// Output --------------------------------------------------------------------------------------

// A top on a ball joint, that turns about all its axes.
System top() {
  System system;
  apply(system, Gravity{});
  RigidBody body;
  body.mass = 2;
  body.inertia = Vec3(0.1, 0.3, 0.2).asDiagonal();
  body.position = {0.3, 0.4, 0.1};
  body.angular_velocity = {3, 5, -2};
  body.velocity = body.angular_velocity.cross(body.position);
  const BodyId id = system.add(body);
  constrain(system, Ball{world_point(0, 0, 0), Point(id, -body.position)});
  return system;
}

TEST(Recording, IsInterpolatedToTheMethodsOrderAndLegal) {
  const System system = top();
  std::vector<State> truth;
  testing::run(system, "dop853", 0.01, 1, {},
               [&](const State& state, const VecX&) { truth.push_back(state); });
  struct Case {
    const char* method;
    double tolerance, allowed;
  };
  for (const Case& c : {Case{"dop853", 1e-10, 1e-8},
                        {"rk4_projected", 1e-8, 1e-5},
                        {"rattle", 1e-6, 5e-3},
                        {"implicit1", 1e-4, 0.5}}) {
    std::size_t n = 0;
    double worst = 0;
    Workspace workspace(system);
    VecX rate;
    const RunReport report = automatic(
        system, c.method, c.tolerance, 1,
        [&](const State& state, const VecX& lambda) {
          ASSERT_LT(n, truth.size());
          EXPECT_NEAR(state.time, truth[n].time, 1e-12);
          EXPECT_TRUE(lambda.allFinite());
          worst =
              std::max({worst, (state.q - truth[n].q).norm(), (state.v - truth[n].v).norm() / 5});
          if (std::string_view(c.method) != "implicit1") {
            workspace.evaluate(system, state.q, state.time, workspace.end);
            workspace.J(workspace.end, state.v, rate);
            EXPECT_LT(workspace.end.C.norm(), 1e-11) << c.method;
            EXPECT_LT(rate.norm(), 1e-10) << c.method;
          }
          ++n;
        },
        0.01);
    EXPECT_EQ(n, truth.size()) << c.method;
    EXPECT_LT(worst, c.allowed) << c.method;
    if (std::string_view(c.method) == "dop853") {
      EXPECT_LT(report.steps, 60);
    }
  }
}

TEST(Recording, EndsWithTheEnd) {
  std::vector<double> times;
  automatic(
      arm(1, 1), "dop853", 1e-6, 1,
      [&](const State& state, const VecX&) { times.push_back(state.time); }, 0.3);
  ASSERT_EQ(times.size(), 5u);
  EXPECT_DOUBLE_EQ(times[3], 0.3 * 3);
  EXPECT_DOUBLE_EQ(times[4], 1);
}

TEST(Recording, HasTheReactions) {
  RunOptions options;
  options.step = 0.01;
  options.duration = 2;
  options.reactions = true;
  const System system = arm(1, 1, 2);
  const RunReport report =
      simulate(system, system.initial_state(), *make_method("dop853"), options);
  ASSERT_EQ(report.reactions.size(), 1u);
  EXPECT_EQ(report.reactions[0].constraint, "link1");
  EXPECT_EQ(report.reactions[0].unit, "N");
  EXPECT_NEAR(report.reactions[0].largest, 3 * 2 * 9.81, 0.02);  // straight down: 3 m g
  ASSERT_EQ(report.reactions[0].final.size(), 1u);
  EXPECT_NEAR(report.reactions[0].final[0], -3 * 2 * 9.81 * report.final_state.q[1], 1e-9);
}

// What cannot go on ---------------------------------------------------------------------------

struct Stuck final : Method {
  StepStatus status = StepStatus::not_converged;
  bool memory = false;
  bool has_memory() const override { return memory; }
  StepReport step(const System&, double h, State& state, Workspace&) override {
    state.time += h;
    StepReport report;
    report.status = status;
    return report;
  }
};

TEST(StepControl, EndsWhenNoStepIsSmallEnough) {
  Stuck stuck;
  const RunReport report = automatic(arm(1, 1), stuck, 1e-6, 1);
  EXPECT_EQ(report.status, RunStatus::diverged);
  EXPECT_NE(report.reason.find("still fails"), std::string::npos) << report.reason;
  EXPECT_GT(report.control.rejected, 10);
  EXPECT_LT(report.control.rejected, 100);
}

TEST(StepControl, RefusesMethodsWhoseStepsCannotBeCompared) {
  Stuck stuck;
  stuck.status = StepStatus::ok;
  stuck.memory = true;
  const RunReport report = automatic(arm(1, 1), stuck, 1e-6, 1);
  EXPECT_EQ(report.status, RunStatus::diverged);
  EXPECT_NE(report.reason.find("cannot choose its steps"), std::string::npos) << report.reason;
}

TEST(StepControl, RefusesTolerancesThatAreNone) {
  for (const double bad : {-1.0, double(NAN), double(INFINITY)})
    EXPECT_THROW(automatic(arm(1, 1), "dop853", bad, 1), Error) << bad;
}

// Where something may begin to act, a step is made of parts: the method knows its last one alone.
TEST(StepControl, WhatLiesBetweenStepsIsRightWithAMotor) {
  const io::Scene scene = io::parse_scene(R"json({
    "taut": 1, "name": "wheel",
    "bodies": [{"type": "rigid", "name": "r", "mass": 1, "inertia": [0.1, 0.1, 0.1], "position": [0, 0, 0]}],
    "constraints": [{"type": "hinge", "name": "h", "b": "r", "at": [0, 0, 0]},
                    {"type": "motor", "joint": "h", "speed": 3, "max": 0.01}],
    "forces": [{"type": "joint_torque", "joint": "h",
                "torque": {"type": "formula", "value": "=0.1-0.2*t"}}]})json",
                                          "wheel");
  int recorded = 0;
  automatic(
      scene.system, "dop853", 1e-6, 1,
      [&](const State& state, const VecX&) {
        ++recorded;
        const double t = state.time, angle = 2 * std::atan2(state.q[6], state.q[3]);
        EXPECT_NEAR(angle, t * t * (0.55 - t / 3), 1e-6) << t;
      },
      0.01);
  EXPECT_EQ(recorded, 101);
}

}  // namespace
}  // namespace taut
