// Islands at rest sleep, and wake up in time.
#include <gtest/gtest.h>

#include <cmath>

#include "taut/scene/scene.hpp"
#include "taut/simulate/step_policy.hpp"

namespace taut {
namespace {

struct Slept {
  RunReport report;
  State start;
};

Slept run(const io::Scene& scene, double step, double duration, std::string_view method) {
  RunOptions options;
  options.step = step;
  options.duration = duration;
  Slept slept;
  slept.start = scene.system.initial_state();
  slept.report = simulate(scene.system, slept.start, *make_method(method), options);
  return slept;
}

TEST(ContactSleep, AWallOfTwoHundredStandsForAMinute) {
  const std::vector<io::Setting> settings{{"rows", "10"}, {"columns", "20"}};
  const io::Scene wall = io::load_scene("wall", settings);
  const Slept slept = run(wall, 0.01, 60, "icd2");
  EXPECT_TRUE(slept.report.is_trusted());
  EXPECT_LT((slept.report.final_state.q - slept.start.q).lpNorm<Eigen::Infinity>(), 1e-9);
  EXPECT_EQ(slept.report.final_state.v.norm(), 0);
  EXPECT_GT(slept.report.contacts.final, 1000);  // those asleep bear their loads
  // 6000 steps; awake, each would need a dozen linear solves.
  EXPECT_LT(slept.report.cost.linear_solves, 6000);
}

TEST(ContactSleep, AStackUnderAHeavyTopStandsForAMinute) {
  for (const char* ratio : {"1000", "1e6"}) {
    const std::vector<io::Setting> settings{{"ratio", ratio}};
    const io::Scene stack = io::load_scene("box_stack", settings);
    const Slept slept = run(stack, 1.0 / 60, 60, "icd2");
    EXPECT_TRUE(slept.report.is_trusted());
    EXPECT_LT((slept.report.final_state.q - slept.start.q).lpNorm<Eigen::Infinity>(), 1e-8);
  }
}

// A ball comes down on a stack that has slept for a second, and pushes its upper box off. The stack
// must have been awake: what the ball loses the box gets.
constexpr const char* ball_and_box = R"json({ "taut": 1, "name": "hit",
  "shapes": [ { "type": "plane", "friction": 0.5 } ],
  "bodies": [
    { "type": "rigid", "name": "low", "mass": 1, "position": [0, 0, 0.1],
      "shapes": [ { "type": "box", "size": [0.2, 0.2, 0.2], "friction": 0.5 } ] },
    { "type": "rigid", "name": "high", "mass": 1, "position": [0, 0, 0.3],
      "shapes": [ { "type": "box", "size": [0.2, 0.2, 0.2], "friction": 0.5 } ] },
    { "type": "rigid", "name": "ball", "mass": 1, "position": [-8, 0, 0.3], "velocity": [8, 0, 0],
      "shapes": [ { "type": "sphere", "radius": 0.05, "friction": 0 } ] } ],
  "forces": [ { "type": "force", "point": "ball", "force": [0, 0, 9.81] },
              { "type": "gravity", "acceleration": [0, 0, -9.81] } ],
  "simulation": { "step": 0.01, "duration": 1.1 } })json";

TEST(ContactSleep, WhatIsHitWakesUp) {
  const io::Scene scene = io::parse_scene(ball_and_box, "scene", {});
  const Slept before = run(scene, 0.01, 0.9, "dop853");
  EXPECT_EQ(before.report.final_state.v.head<12>().norm(), 0);
  const Slept after = run(scene, 0.01, 1.1, "dop853");
  EXPECT_TRUE(after.report.is_trusted());
  EXPECT_GT(after.report.final_state.v[6], 1);  // the box was pushed
  EXPECT_LT(after.report.final_state.v[12], 5);
  EXPECT_LT(after.report.contacts.overlap, 1e-6);
}

// Two balls sleep, and one of them is thrown up. What the table did to it is over.
TEST(ContactSleep, WhatIsThrownUpFallsFreely) {
  const io::Scene scene = io::parse_scene(R"json({ "taut": 1, "name": "thrown",
    "shapes": [ { "type": "plane" } ],
    "bodies": [
      { "type": "rigid", "name": "a", "mass": 1, "position": [0, 0, 0.1], "shapes": [ { "type": "sphere", "radius": 0.1 } ] },
      { "type": "rigid", "name": "b", "mass": 1, "position": [1, 0, 0.1], "shapes": [ { "type": "sphere", "radius": 0.1 } ] } ],
    "forces": [ { "type": "gravity", "acceleration": [0, 0, -10] } ],
    "simulation": { "step": 0.01, "duration": 1 } })json",
                                          "scene", {});
  State state = scene.system.initial_state();
  Workspace workspace(scene.system);
  const auto method = make_method("dop853");
  StepPolicy policy;
  const auto advance = [&](int steps) {
    for (int i = 0; i < steps; ++i) policy.step(scene.system, *method, 0.01, state, workspace);
  };
  advance(20);
  state.v[2] = 2;
  advance(10);
  EXPECT_NEAR(state.q[2], 0.1 + 2 * 0.1 - 0.5 * 10 * 0.01, 1e-12);
  EXPECT_NEAR(state.q[9], 0.1, 1e-12);
}

// The force grows from 0.5 s on. Friction holds the box until it is m g µ = 4.905 N, at 0.99 s.
constexpr const char* pushed_box = R"json({ "taut": 1, "name": "pushed",
  "shapes": [ { "type": "plane", "friction": 0.5 } ],
  "bodies": [
    { "type": "rigid", "name": "box", "mass": 1, "position": [0, 0, 0.1],
      "shapes": [ { "type": "box", "size": [0.8, 0.8, 0.2], "friction": 0.5 } ] } ],
  "forces": [ { "type": "force", "point": "box", "force": { "type": "formula", "value": ["=10*max(0,t-0.5)", 0, 0] } },
              { "type": "gravity", "acceleration": [0, 0, -9.81] } ],
  "simulation": { "step": 0.005, "duration": 1.5 } })json";

TEST(ContactSleep, AForceThatChangesWakes) {
  const io::Scene scene = io::parse_scene(pushed_box, "scene", {});
  EXPECT_EQ(run(scene, 0.005, 0.45, "icd2").report.final_state.v.norm(), 0);
  EXPECT_LT(run(scene, 0.005, 0.95, "icd2").report.final_state.v.norm(), 1e-9);
  const Slept slept = run(scene, 0.005, 1.5, "icd2");
  const double time = 1.5 - 0.9905, rate = 10;
  EXPECT_NEAR(slept.report.final_state.v[0], 0.5 * rate * time * time, 0.03);
}

// The hanging weight is at rest, too, but nothing that is joined to what moves may sleep.
TEST(ContactSleep, WhatIsJoinedToSomethingThatMovesStaysAwake) {
  const io::Scene scene = io::parse_scene(R"json({ "taut": 1, "name": "joined",
    "shapes": [ { "type": "plane", "friction": 0.5 } ],
    "bodies": [
      { "type": "rigid", "name": "box", "mass": 1000, "position": [0, 0, 0.5],
        "shapes": [ { "type": "box", "size": [1, 1, 1], "friction": 0.5 } ] },
      { "type": "particle", "name": "bob", "mass": 1, "position": [1, 0, 3] } ],
    "constraints": [ { "type": "distance", "a": { "body": "box", "at": [0, 0, 2.5] }, "b": "bob" } ],
    "forces": [ { "type": "gravity", "acceleration": [0, 0, -9.81] } ],
    "simulation": { "step": 0.005, "duration": 0.5 } })json",
                                          "scene", {});
  const Slept slept = run(scene, 0.005, 0.5, "icd2");
  EXPECT_GT(slept.report.final_state.v.tail<3>().norm(), 1);
}

}  // namespace
}  // namespace taut
