// What slides on contacts or in joints, comes to rest and turns back in a step is followed with
// second order; joints with friction beside contacts do not slow a run down.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "taut/scene/scene.hpp"

namespace taut {
namespace {

RunReport run(const io::Scene& scene, const char* method, double step, double duration) {
  RunOptions options;
  options.step = step;
  options.duration = duration;
  return simulate(scene.system, scene.system.initial_state(), *make_method(method), options);
}

constexpr const char* rod_text = R"(
  {"type": "rigid", "name": "rod", "mass": 1, "inertia": [0.09, 0.09, 0.001],
   "position": [0.5, 0.2, 1]})";
constexpr const char* friction_and_gravity = R"(
  {"type": "motor", "joint": "pivot", "max": 0.6}],
  "forces": [{"type": "gravity", "acceleration": [0, 0, -9.81]}]})";

/// A rod swings with dry friction in its pivot, which is fixed.
io::Scene on_a_fixed_pivot() {
  return io::parse_scene(std::string(R"({"taut": 1, "bodies": [)") + rod_text +
                             R"(], "constraints": [
    {"type": "hinge", "name": "pivot", "b": "rod", "at": [0, 0.2, 1], "axis": [0, 1, 0]},)" +
                             friction_and_gravity,
                         "fixed");
}

/// … which is on a box that stands on the ground and does not move.
io::Scene on_a_box() {
  return io::parse_scene(std::string(R"({"taut": 1, "shapes": [{"type": "plane", "friction": 1}],
    "bodies": [{"type": "rigid", "name": "box", "mass": 50, "inertia": [5, 5, 5],
      "position": [0, 0, 0.5], "shapes": [{"type": "box", "size": [2, 0.2, 1], "friction": 1}]},)") +
                             rod_text + R"(], "constraints": [
    {"type": "hinge", "name": "pivot", "a": "box", "b": "rod", "at": [0, 0.2, 1],
     "axis": [0, 1, 0]},)" + friction_and_gravity,
                         "box");
}

double turn_rate(const RunReport& report) {
  return report.final_state.v[report.final_state.v.size() - 2];
}

TEST(HeldContact, AJointWithFrictionTurnsBackAsOnAFixedPivot) {
  const io::Scene fixed = on_a_fixed_pivot(), box = on_a_box();
  for (const char* method : {"dop853", "energy_momentum", "rattle"}) {
    std::array<double, 2> errors;
    for (const int k : {0, 1}) {
      const double step = k == 0 ? 0.004 : 0.002;
      const RunReport moved = run(box, method, step, 1), alone = run(fixed, method, step, 1);
      EXPECT_TRUE(moved.is_trusted()) << method;
      errors[static_cast<std::size_t>(k)] = std::abs(turn_rate(moved) - turn_rate(alone));
    }
    EXPECT_LT(errors[1], 1e-4) << method;
    // Second order: a quarter, as far as contacts are solved for.
    EXPECT_LT(errors[1], std::max(0.35 * errors[0], 1e-7)) << method;
  }
}

TEST(HeldContact, ABlockThrownUpASlopeSlidesBack) {
  // tan α = 0.75, so that g sin α = 6 and g cos α = 8; friction takes 0.5 · 8.
  const io::Scene scene = io::parse_scene(R"({"taut": 1,
    "shapes": [{"type": "plane", "friction": 0.5}],
    "bodies": [{"type": "rigid", "mass": 1, "position": [0, 0, 0.1], "velocity": [-1, 0, 0],
                "shapes": [{"type": "box", "size": [0.8, 0.8, 0.2], "friction": 0.5}]}],
    "forces": [{"type": "gravity", "acceleration": [6, 0, -8]}]})",
                                          "slope");
  const double up = 0.1, down = 0.2;  // s: stops after 1 / (6 + 4)
  // Exactly so from the first step on, though what touches is not known before.
  const double step = 0.007, place = -0.5 * up + 0.5 * 2 * down * down;
  for (const char* method : {"dop853", "energy_momentum", "rattle", "rk4_projected"}) {
    const RunReport report = run(scene, method, step, up + down);
    EXPECT_TRUE(report.is_trusted()) << method;
    EXPECT_NEAR(report.final_state.q[0], place, 1e-9) << method;
    EXPECT_NEAR(report.final_state.v[0], 2 * down, 1e-8) << method;
  }
}

// What slides goes on to do so, exactly, until it hits something else: with a = 6 − 4 after 0.5 s, at
// a moment within a step. It comes back with half its speed, and 6 + 4 slow it down.
TEST(HeldContact, WhatSlidesHitsAWallInTime) {
  const io::Scene scene = io::parse_scene(R"({"taut": 1,
    "shapes": [{"type": "plane", "friction": 0.5},
               {"type": "box", "size": [0.1, 4, 4], "at": [0.7, 0, 0], "friction": 0,
                "restitution": 0.5}],
    "bodies": [{"type": "rigid", "mass": 1, "position": [0, 0, 0.1],
                "shapes": [{"type": "box", "size": [0.8, 0.8, 0.2], "friction": 0.5,
                            "restitution": 0.5}]}],
    "forces": [{"type": "gravity", "acceleration": [6, 0, -8]}]})",
                                          "wall");
  const double after = 0.04, place = 0.25 - 0.5 * after + 0.5 * 10 * after * after;
  for (const char* method : {"dop853", "energy_momentum", "rattle", "rk4_projected"}) {
    const RunReport report = run(scene, method, 0.007, 0.5 + after);
    EXPECT_TRUE(report.is_trusted()) << method;
    EXPECT_NEAR(report.final_state.q[0], place, 1e-8) << method;
    EXPECT_NEAR(report.final_state.v[0], 10 * after - 0.5, 1e-7) << method;
  }
}

// The box is so heavy that it hardly moves.
TEST(HeldContact, AStopBouncesAsOnAFixedPivot) {
  const auto scene = [](bool is_fixed) {
    const std::string start = is_fixed
                                  ? R"({"taut": 1, "bodies": [)"
                                  : R"({"taut": 1, "shapes": [{"type": "plane", "friction": 1}],
      "bodies": [{"type": "rigid", "name": "box", "mass": 5e6, "inertia": [5e5, 5e5, 5e5],
        "position": [0, 0, 0.5],
        "shapes": [{"type": "box", "size": [2, 0.2, 1], "friction": 1}]},)";
    return io::parse_scene(start + rod_text +
                               R"(], "constraints": [{"type": "hinge", "name": "pivot",)" +
                               (is_fixed ? "" : R"("a": "box",)") + R"( "b": "rod",
        "at": [0, 0.2, 1], "axis": [0, 1, 0]},
        {"type": "limit", "joint": "pivot", "lower": -1, "upper": 2, "restitution": 1}],
        "forces": [{"type": "gravity", "acceleration": [0, 0, -9.81]}]})",
                           "stop");
  };
  const io::Scene fixed = scene(true), box = scene(false);
  for (const char* method : {"dop853", "energy_momentum", "icd2", "implicit1"})
    for (const double step : {0.002, 0.001}) {
      const RunReport moved = run(box, method, step, 0.8), alone = run(fixed, method, step, 0.8);
      EXPECT_TRUE(moved.is_trusted()) << method;
      EXPECT_EQ(moved.impacts.count, 1) << method;
      EXPECT_NEAR(turn_rate(moved), turn_rate(alone), 3e-3) << method << ' ' << step;
    }
}

// A string does not keep the block from lying on the ground. It stops at 0.5 m, where it gets taut.
TEST(HeldContact, ABlockOnAStringStopsWhereItGetsTaut) {
  const io::Scene scene = io::parse_scene(R"({"taut": 1,
    "shapes": [{"type": "plane", "friction": 0.2}],
    "bodies": [{"type": "rigid", "name": "block", "mass": 2, "position": [0, 0, 0.1],
      "velocity": [3, 0, 0], "shapes": [{"type": "box", "size": [0.6, 0.4, 0.2], "friction": 0.2}]}],
    "constraints": [{"type": "distance", "a": [-1, 0, 0.1], "b": "block", "length": 1.5,
                     "slack": true}],
    "forces": [{"type": "gravity", "acceleration": [0, 0, -10]}]})",
                                          "string");
  for (const char* method : {"dop853", "energy_momentum", "rattle", "icd2", "implicit1"}) {
    const RunReport report = run(scene, method, 0.01, 0.5);
    EXPECT_TRUE(report.is_trusted()) << method << ": " << report.doubts.front();
    EXPECT_NEAR(report.final_state.q[0], 0.5, 1e-9) << method;
    EXPECT_NEAR(report.final_state.q[2], 0.1, 1e-9) << method;
    EXPECT_NEAR(report.final_state.v.norm(), 0, 1e-9) << method;
  }
}

// A pendulum hits a wall at the lowest point of its way, and comes back with half its speed.
TEST(HeldContact, WhatHangsFromTheWorldHitsIt) {
  const io::Scene scene = io::parse_scene(R"({"taut": 1,
    "shapes": [{"type": "plane", "at": [-0.1, 0, 0], "orientation": [0.7071067811865476, 0, 0.7071067811865476, 0],
                "restitution": 0.5}],
    "bodies": [{"type": "rigid", "name": "bob", "position": [1, 0, 0],
                "shapes": [{"type": "sphere", "radius": 0.1, "density": 1000, "restitution": 0.5}]}],
    "constraints": [{"type": "hinge", "b": "bob", "at": [0, 0, 0], "axis": [0, 1, 0]}],
    "forces": [{"type": "gravity", "acceleration": [0, 0, -10]}]})",
                                          "wall");
  for (const char* method : {"dop853", "energy_momentum", "icd2"}) {
    const RunReport report = run(scene, method, 0.002, 1);
    EXPECT_TRUE(report.is_trusted()) << method;
    EXPECT_GE(report.impacts.count, 1) << method;
    EXPECT_GT(report.final_state.q[0], 0) << method;
    const double fallen = 10 * 1000 * 4.0 / 3 * M_PI * 1e-3;  // m g, from 1 m
    EXPECT_NEAR(report.impacts.energy_change, -0.75 * fallen, 1e-2 * fallen) << method;
  }
}

// First order, and close to what it should be, for a fraction of the solves.
TEST(HeldContact, InRealTimeAStepIsOneSolve) {
  const io::Scene scene = io::load_scene("quadruped_on_ground", {});
  RunOptions options;
  options.step = 0.001;
  options.duration = 0.1;
  const auto run_with = [&](const char* solver) {
    options.contact_solver = solver;
    return simulate(scene.system, scene.system.initial_state(), *make_method("implicit1"), options);
  };
  const RunReport fast = run_with("real_time"), exact = run_with("exact");
  ASSERT_EQ(fast.status, RunStatus::ok);
  EXPECT_LT(fast.cost.linear_solves, 100 * 10);
  EXPECT_LT(fast.cost.linear_solves, 0.4 * exact.cost.linear_solves);
  EXPECT_LT((fast.final_state.q - exact.final_state.q).lpNorm<Eigen::Infinity>(), 1e-3);
}

TEST(HeldContact, JointsWithFrictionDoNotSlowARobotDown) {
  const io::Scene scene = io::load_scene("quadruped_on_ground", {});
  for (const char* method : {"icd2", "energy_momentum", "dop853"}) {
    const RunReport report = run(scene, method, 0.005, 0.15);
    EXPECT_TRUE(report.is_trusted()) << method;
    EXPECT_LT(report.cost.linear_solves, 30 * 300) << method;
  }
}

/// Balls that fall far from each other, and roll.
io::Scene balls(int first, int last) {
  std::string bodies;
  for (int i = first; i < last; ++i)
    bodies += fmt::format(R"({}{{"type": "rigid", "position": [0, {}, {}], "velocity": [{}, 0.5, 0],
      "angular_velocity": [3, {}, 0],
      "shapes": [{{"type": "sphere", "radius": 0.08, "density": 1000, "friction": 0.5}}]}})",
                          i == first ? "" : ", ", 10 * i, 0.3 + 0.08 * i, 2 - 0.1 * i, i - 5);
  return io::parse_scene(R"({"taut": 1, "shapes": [{"type": "plane", "friction": 0.5}],
    "bodies": [)" + bodies + R"(],
    "forces": [{"type": "gravity", "acceleration": [0, 0, -9.81]}]})",
                         "balls");
}

TEST(HeldContact, WhatLandsWhileOthersRollIsLocated) {
  const int count = 14;
  const io::Scene all = balls(0, count);
  const RunReport together = run(all, "dop853", 1.0 / 60, 0.7);
  EXPECT_EQ(together.impacts.count, count);
  for (int i = 0; i < count; ++i) {
    const RunReport alone = run(balls(i, i + 1), "dop853", 1.0 / 60, 0.7);
    const Vec3 difference =
        together.final_state.q.segment<3>(all.system.slot({i}).q) - alone.final_state.q.head<3>();
    EXPECT_LT(difference.norm(), 1e-9) << "ball " << i;
  }
}

}  // namespace
}  // namespace taut
