// Shapes that touch, in scenes, against closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "support/messages.hpp"
#include "taut/scene/scene.hpp"

namespace taut {
namespace {

constexpr double gravity = 9.81;

RunReport run_scene(const std::string& text, std::string_view method,
                    std::vector<io::Setting> settings = {}) {
  const io::Scene scene = io::parse_scene(text, "scene", settings);
  RunOptions options;
  options.step = scene.step;
  options.duration = scene.duration;
  return simulate(scene.system, scene.system.initial_state(), *make_method(method), options);
}

RunReport run_builtin(const std::string& name, std::string_view method,
                      std::vector<io::Setting> settings) {
  const io::Scene scene = io::load_scene(name, settings);
  RunOptions options;
  options.step = scene.step;
  options.duration = scene.duration;
  return simulate(scene.system, scene.system.initial_state(), *make_method(method), options);
}

class Shapes : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, Shapes,
                         ::testing::Values("implicit1", "icd", "icd2", "rattle", "energy_momentum",
                                           "rk4_projected", "dop853"),
                         [](const auto& info) { return info.param; });

TEST_P(Shapes, AStackStandsUnderAHeavyTop) {
  for (const char* ratio : {"1", "1000", "1e6"}) {
    const RunReport report = run_builtin("box_stack", GetParam(), {{"ratio", ratio}});
    EXPECT_EQ(report.status, RunStatus::ok);
    EXPECT_TRUE(report.is_trusted()) << report.doubts.front();
    for (int i = 0; i < 10; ++i) {
      const Vec3 place = report.final_state.q.segment<3>(7 * i);
      EXPECT_LT((place - Vec3(0, 0, 0.5 * (i + 0.5))).norm(), 1e-8) << ratio << " box " << i;
    }
  }
}

// tan of the incline 0.2 % below and above friction, at any azimuth: within 0.1° of the angle.
TEST_P(Shapes, ABlockSticksOrSlidesInEveryDirection) {
  for (const double yaw : {0.0, 0.3, 0.785398, 1.2}) {
    for (const double steepness : {0.998, 1.002}) {
      const RunReport report =
          run_builtin("incline", GetParam(),
                      {{"yaw", std::to_string(yaw)}, {"steepness", std::to_string(steepness)}});
      EXPECT_TRUE(report.is_trusted()) << report.doubts.front();
      const double angle = std::atan(0.5 * steepness);
      const Vec3 start(0.1 * std::sin(angle), 0, 0.1 * std::cos(angle));
      const double way = (report.final_state.q.head<3>() - start).norm();
      const double expected = 0.5 * 4 * gravity * (std::sin(angle) - 0.5 * std::cos(angle));
      if (steepness < 1)
        EXPECT_LT(way, 1e-9) << yaw;
      else
        EXPECT_NEAR(way, expected, 0.02 * expected) << yaw;
    }
  }
}

// Thrown without spin, it slides until its speed is 5/7, after 2v/(7μg), and rolls on for ever.
constexpr const char* thrown_ball = R"({ "taut": 1, "name": "ball",
  "shapes": [ { "type": "plane", "friction": 0.3 } ],
  "bodies": [ { "type": "rigid", "name": "ball", "mass": 2, "position": [0, 0, 0.1], "velocity": [1.4, 0, 0],
      "shapes": [ { "type": "sphere", "radius": 0.1, "friction": 0.3 } ] } ],
  "forces": [ { "type": "gravity", "acceleration": [0, 0, -9.81] } ],
  "simulation": { "step": 0.002, "duration": 1 } })";

TEST_P(Shapes, ABallRollsAtFiveSeventhsOfItsSpeed) {
  const RunReport report = run_scene(thrown_ball, GetParam());
  EXPECT_TRUE(report.is_trusted()) << report.doubts.front();
  EXPECT_NEAR(report.final_state.v[0], 1, 1e-6);
  EXPECT_NEAR(report.final_state.v[4], 10, 1e-5);
  const double slides = 2 * 1.4 / (7 * 0.3 * gravity);
  EXPECT_NEAR(report.final_state.q[0], 1.2 * slides + (1 - slides), 2e-3);
  EXPECT_NEAR(report.energy.friction, -0.5 * 2 * 1.4 * 1.4 * 2 / 7, 0.02);
}

TEST_P(Shapes, ABallComesToRestWhenTheSeriesEnds) {
  const RunReport report = run_builtin("bouncing_balls", GetParam(), {{"height", "0.5"}});
  EXPECT_TRUE(report.is_trusted()) << report.doubts.front();
  for (int i = 0; i < 5; ++i) {
    EXPECT_NEAR(report.final_state.q[7 * i + 2], 0.1, 1e-8) << i;
    EXPECT_NEAR(report.final_state.v[6 * i + 2], 0, 1e-8) << i;
  }
}

// A weight at the end of a chain of capsules, 10,000 times as heavy as they are, on the ground.
constexpr const char* chain_on_ground = R"({ "taut": 1, "name": "chain",
  "shapes": [ { "type": "plane", "friction": 0.5 } ],
  "bodies": [
    { "repeat": { "count": 8 }, "items": [
      { "type": "rigid", "name": "link{i}", "mass": 0.1, "position": ["=0.2*i", 0, "=0.3+0.02*i"],
        "shapes": [ { "type": "capsule", "radius": 0.03, "length": 0.14,
                      "orientation": { "axis": [0, 1, 0], "angle": 1.5707963267948966 } } ] } ] },
    { "type": "rigid", "name": "weight", "mass": 1000, "position": [1.75, 0, 0.5],
      "shapes": [ { "type": "box", "size": [0.2, 0.2, 0.2] } ] } ],
  "constraints": [
    { "repeat": { "count": 7 }, "items": [
      { "type": "ball", "a": { "body": "link{i}", "at": [0.1, 0, 0.01] }, "b": { "body": "link{i+1}", "at": [-0.1, 0, -0.01] } } ] },
    { "type": "ball", "a": { "body": "link7", "at": [0.1, 0, 0.06] }, "b": { "body": "weight", "at": [-0.25, 0, 0] } } ],
  "forces": [ { "type": "gravity", "acceleration": [0, 0, -9.81] } ],
  "simulation": { "step": 0.002, "duration": 1 } })";

TEST_P(Shapes, AChainWithAHeavyEndLiesDown) {
  const RunReport report = run_scene(chain_on_ground, GetParam());
  EXPECT_EQ(report.status, RunStatus::ok);
  EXPECT_LT(report.constraint_error.final, 1e-8);
  EXPECT_NEAR(report.final_state.q[7 * 8 + 2], 0.1, 1e-6);
}

constexpr const char* body_without = R"({ "taut": 1, "name": "x",
  "bodies": [ { "type": "rigid", "name": "b", "position": [0, 0, 0]$ } ] })";

TEST(ShapesInScenes, MistakesAreNamed) {
  const auto message = [](const std::string& more) {
    std::string text = body_without;
    text.replace(text.find('$'), 1, more);
    return testing::message_of([&] { io::parse_scene(text, "scene"); });
  };
  const auto expect = [&](const std::string& more, const std::string& part) {
    EXPECT_NE(message(more).find(part), std::string::npos) << message(more);
  };
  expect("", "found no \"mass\"");
  expect(R"(, "mass": 1)", "found no \"inertia\"");
  expect(R"(, "inertia": [1, 1, 1])", "without \"mass\"");
  expect(R"(, "shapes": [ { "type": "ball", "radius": 1 } ])", "expected a type of shape");
  expect(R"(, "shapes": [ { "type": "sphere", "radius": -1, "density": 1 } ])",
         "/bodies/0/shapes/0/radius");
  expect(R"(, "shapes": [ { "type": "sphere", "radius": 1, "density": 1, "at": [1, 0, 0] } ])",
         "centre of mass at [1, 0, 0]");
  expect(R"(, "shapes": [ { "type": "sphere", "radius": 1, "density": 1, "restitution": 2 } ])",
         "at most 1");
  expect(R"(, "mass": 1, "inertia": [1, 1, 1], "shapes": [ { "type": "plane" } ])", "plane");
}

TEST(ShapesInScenes, MassFollowsFromDensity) {
  std::string text = body_without;
  text.replace(text.find('$'), 1,
               R"(, "shapes": [ { "type": "box", "size": [2, 3, 4], "density": 10 } ])");
  const io::Scene scene = io::parse_scene(text, "scene");
  EXPECT_NEAR(scene.system.mass({0}), 240, 1e-9);
  EXPECT_NEAR(scene.system.inertia({0})(0, 0), 240.0 / 12 * (9 + 16), 1e-9);
  EXPECT_NEAR(scene.system.inertia({0})(2, 2), 240.0 / 12 * (4 + 9), 1e-9);
}

}  // namespace
}  // namespace taut
