// Stops and strings on which things press, in ways that are easy to get wrong.
#include <gtest/gtest.h>

#include <cmath>

#include "support/builders.hpp"
#include "taut/scene/scene.hpp"

namespace taut {
namespace {

RunReport run_pressed(const std::string& text, const char* method) {
  const io::Scene scene = io::parse_scene(text, "scene");
  RunOptions options;
  options.step = scene.step;
  options.duration = scene.duration;
  return simulate(scene.system, scene.system.initial_state(), *make_method(method), options);
}

// An arm is driven against a stop that bounces while its elbow slips into another. Weight and motor
// turn the joints by way of the other joints only. When what presses on the stops was taken from
// the applied forces alone, that was nothing, so no bounce was too short to be followed: there were
// tens of thousands of them.
TEST(PressedStops, BouncesOfTwoJointsEnd) {
  for (const char* method : {"dop853", "rk4_projected", "energy_momentum", "icd2"}) {
    const RunReport report = run_pressed(R"({ "taut": 1, "name": "arm",
      "bodies": [
        { "type": "rigid", "name": "upper", "mass": 1, "inertia": [3e-4, 0.03, 0.03], "position": [0.3, 0, 0] },
        { "type": "rigid", "name": "fore", "mass": 0.5, "inertia": [6e-5, 6e-3, 6e-3], "position": [0.8, 0, 0] } ],
      "forces": [ { "type": "gravity" } ],
      "constraints": [
        { "type": "hinge", "name": "shoulder", "b": "upper", "at": [0, 0, 0] },
        { "type": "hinge", "name": "elbow", "a": "upper", "b": "fore", "at": [0.6, 0, 0] },
        { "type": "motor", "name": "motor", "joint": "shoulder", "speed": 2, "max": 8 },
        { "type": "limit", "name": "stop", "joint": "shoulder", "upper": 0.9, "restitution": 0.5 },
        { "type": "motor", "name": "friction", "joint": "elbow", "max": 0.3 },
        { "type": "limit", "name": "bent", "joint": "elbow", "lower": -1.2 } ],
      "simulation": { "step": 0.002, "duration": 1.2 } })",
                                         method);
    EXPECT_EQ(report.status, RunStatus::ok) << method;
    EXPECT_TRUE(report.is_trusted()) << method;
    EXPECT_LT(report.impacts.count, 60) << method;
    EXPECT_EQ(report.active_limits.most, 2) << method;
    EXPECT_LT(report.final_state.v.norm(), 1e-9) << method;
  }
}

// A bob swings up on a string from the end of a heavy flap that rests on its stop, and the string
// gets slack within a step. The second hinge says what the first does. Rows of the step's start
// were used to see whether the string still pulls, where rows are redundant.
TEST(PressedStops, AStringLetsGoInTimeWhereRowsAreRedundant) {
  const auto scene = [](const std::string& flap, const std::string& joints,
                        const std::string& end) {
    return R"({ "taut": 1, "name": "flap", "bodies": [)" + flap + R"(
        { "type": "particle", "name": "bob", "mass": 0.2, "position": [1, -0.5, 0], "velocity": [4.143, 0, 0] } ],
      "forces": [ { "type": "gravity" } ],
      "constraints": [)" +
           joints + R"(
        { "type": "distance", "name": "string", "a": )" +
           end + R"(, "b": "bob", "length": 0.5, "slack": true } ],
      "simulation": { "step": 0.02, "duration": 0.5 } })";
  };
  const RunReport alone = run_pressed(scene("", "", "[1, 0, 0]"), "dop853");
  const RunReport flap = run_pressed(
      scene(
          R"({ "type": "rigid", "name": "flap", "mass": 50, "inertia": [0.1, 4, 4], "position": [0.5, 0, 0] },)",
          R"({ "type": "hinge", "name": "left", "b": "flap", "at": [0, 0, -0.1] },
         { "type": "hinge", "name": "right", "b": "flap", "at": [0, 0, 0.1] },
         { "type": "limit", "name": "stop", "joint": "left", "lower": 0 },)",
          R"({ "body": "flap", "at": [0.5, 0, 0] })"),
      "dop853");
  EXPECT_EQ(flap.impacts.count, 0);
  EXPECT_LT((flap.final_state.q.tail<3>() - alone.final_state.q.tail<3>()).norm(), 1e-9);
  EXPECT_LT((flap.final_state.v.tail<3>() - alone.final_state.v.tail<3>()).norm(), 1e-8);
}

}  // namespace
}  // namespace taut
