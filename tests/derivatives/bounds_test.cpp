// Derivatives with respect to what rows with a law have in them: bounds of stops, lengths of
// strings, torques of motors, and when something is let go.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "families.hpp"
#include "taut/derivatives/gradient.hpp"

namespace taut::testing {
namespace {

/// A rod on a hinge: it falls on to its stop and lies there, or is turned by a motor that is too
/// weak for it.
std::string rod(const std::string& row) {
  return R"({"taut": 1, "name": "rod",
    "parameters": {"stop": {"value": 0.35}, "torque": {"value": 1.7}, "speed": {"value": 2},
                   "until": {"value": 0.2}, "g": {"value": 9.81}},
    "bodies": [{"type": "rigid", "name": "rod", "mass": 1, "inertia": [0.001, 0.02, 0.02],
                "position": [0.3, 0, 0]}],
    "forces": [{"type": "gravity", "acceleration": [0, 0, "=-g"]}],
    "constraints": [
      {"type": "hinge", "name": "axle", "b": "rod", "at": [0, 0, 0], "axis": [0, 1, 0]}, )" +
         row + R"(],
    "simulation": {"step": 0.01, "duration": 0.5}})";
}

struct Case {
  const char* name;
  std::string scene;
  std::vector<std::string> parameters;
  const char* force;  // a sensor
};

std::vector<Case> cases() {
  return {
      {"stop",
       rod(R"({"type": "limit", "name": "stop", "joint": "axle", "lower": "=-stop",
               "upper": "=stop"})"),
       {"stop", "g"},
       "stop.torque"},
      {"motor",
       rod(R"({"type": "motor", "name": "motor", "joint": "axle", "speed": "=-speed",
               "max": "=torque"})"),
       {"torque", "speed", "g"},
       "motor.torque"},
      {"string",
       R"({"taut": 1, "name": "string",
         "parameters": {"L": {"value": 0.9}, "g": {"value": 9.81}},
         "bodies": [{"type": "particle", "name": "bob", "mass": 1, "position": [0.7, 0, 0]}],
         "forces": [{"type": "gravity", "acceleration": [0, 0, "=-g"]}],
         "constraints": [{"type": "distance", "name": "string", "a": [0, 0, 0], "b": "bob",
                          "length": "=L", "slack": true}],
         "simulation": {"step": 0.01, "duration": 0.5}})",
       {"L", "g"},
       "string.tension"},
  };
}

class BoundsOfRows : public ::testing::TestWithParam<const char*> {};

TEST_P(BoundsOfRows, AreMovedWithTheParameter) {
  int trusted = 0, compared = 0;
  for (const Case& one : cases()) {
    const ModelFamily family =
        with_sensors(text_family(one.scene, one.parameters), {{"force", one.force}});
    const DerivedMethod method = derived(GetParam());
    const RunOptions options = steps_of(0.01, 0.5);
    const Sensitivities found = sensitivities(family, method, options);
    trusted += found.report.is_trusted();
    const Gradient back = gradient(family, method, options, final_value(0));
    for (std::size_t k = 0; k < one.parameters.size(); ++k) {
      SCOPED_TRACE(fmt::format("{}: {}", one.name, one.parameters[k]));
      const Truth right = truth(family, method, options, k);
      ++compared;
      const double size = std::max(right.slope.q.norm(), right.slope.v.norm());
      EXPECT_LE((found.end_slopes[k].q - right.slope.q).norm(),
                1e-6 * size + 10 * right.doubt + 1e-12);
      EXPECT_LE((found.end_slopes[k].v - right.slope.v).norm(),
                1e-6 * size + 10 * right.doubt + 1e-12);
      const double of_force = found.slopes.back()(0, static_cast<int>(k));
      EXPECT_NEAR(back.parameters[static_cast<int>(k)], of_force,
                  1e-6 * std::max(std::abs(of_force), 1e-3));
    }
  }
  EXPECT_EQ(trusted, 3);
  EXPECT_EQ(compared, 7);
}

INSTANTIATE_TEST_SUITE_P(Methods, BoundsOfRows,
                         ::testing::Values("icd", "icd2", "energy_momentum", "implicit1", "shake",
                                           "rattle", "rk4_projected", "dop853"),
                         [](const auto& info) { return std::string(info.param); });

// What lies on its stop is where the stop is, whatever the method.
TEST(ClosedForms, WhatLiesOnAStopMovesWithIt) {
  const ModelFamily family =
      with_sensors(text_family(cases()[0].scene, {"stop"}), {{"angle", "axle.turn"}});
  for (const char* method : {"icd", "energy_momentum", "rattle", "dop853"}) {
    SCOPED_TRACE(method);
    const Sensitivities found = sensitivities(family, derived(method), steps_of(0.01, 0.5));
    EXPECT_NEAR(found.slopes.back()(0, 0), found.values.back()[0] > 0 ? 1 : -1, 1e-7);
  }
}

}  // namespace
}  // namespace taut::testing
