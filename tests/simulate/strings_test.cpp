// Strings and stops together, under every method that keeps constraints.
#include <gtest/gtest.h>

#include "support/mechanisms.hpp"
#include "taut/scene/scene.hpp"

namespace taut {
namespace {

std::vector<std::string> exact_methods() {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods())
    if (method.promises.exact_constraints) names.emplace_back(method.name);
  return names;
}

class StringsAndStops : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, StringsAndStops, ::testing::ValuesIn(exact_methods()),
                         [](const auto& instance) { return instance.param; });

RunReport run_scene(const char* text, const std::string& method) {
  const io::Scene scene = io::parse_scene(text, "scene");
  RunOptions options;
  options.step = scene.step;
  options.duration = scene.duration;
  options.reactions = true;
  return simulate(scene.system, scene.system.initial_state(), *make_method(method), options);
}

// It falls 0.8 m, the string stops it, and there it hangs.
constexpr const char* falling = R"({ "taut": 1, "name": "string",
  "bodies": [ { "type": "particle", "name": "p", "mass": 1, "position": [0, -0.2, 0] } ],
  "forces": [ { "type": "gravity" } ],
  "constraints": [ { "type": "distance", "name": "k", "a": [0, 0, 0], "b": "p", "length": 1, "slack": true } ],
  "simulation": { "step": 0.001, "duration": 1 } })";

TEST_P(StringsAndStops, AFallingBobHangsInItsString) {
  const RunReport report = run_scene(falling, GetParam());
  EXPECT_EQ(report.status, RunStatus::ok);
  EXPECT_NEAR(report.final_state.q[1], -1, 1e-9);
  EXPECT_NEAR(report.final_state.v.norm(), 0, 1e-9);
  EXPECT_EQ(report.impacts.count, 1);
  EXPECT_NEAR(report.impacts.energy_change, -9.81 * 0.8, 0.03);
  EXPECT_NEAR(report.reactions[0].final[0], 9.81, 1e-6);
}

// A forearm hangs at its elbow's stop; a hand pulls a string taut again and again, nearly along the
// arm, and lifts it.
constexpr const char* forearm = R"({ "taut": 1, "name": "forearm",
  "bodies": [
    { "type": "rigid", "name": "upper", "mass": 1, "inertia": [0.01, 0.001, 0.01], "position": [0, -0.1, 0] },
    { "type": "rigid", "name": "fore", "mass": 1, "inertia": [0.01, 0.001, 0.01], "position": [0, -0.3, 0] },
    { "type": "particle", "name": "hand", "mass": 1, "position": [0, 0.5, 0.1] } ],
  "forces": [ { "type": "gravity" } ],
  "constraints": [
    { "type": "ball", "name": "shoulder", "a": [0, 0, 0], "b": { "body": "upper", "at": [0, 0.1, 0] } },
    { "type": "hinge", "name": "elbow", "a": "upper", "b": "fore", "at": [0, -0.2, 0], "axis": [1, 0, 0] },
    { "type": "limit", "name": "stop", "joint": "elbow", "lower": -2.4, "upper": 0 },
    { "type": "pin", "name": "lift", "point": "hand", "at": { "type": "formula", "value": [0, "=0.5+0.3*(1-cos(2*pi*0.7*t))/2", 0.1] } },
    { "type": "distance", "name": "string", "a": "hand", "b": { "body": "fore", "at": [0, -0.1, 0] }, "length": 1.0, "slack": true } ],
  "simulation": { "step": 0.005, "duration": 3 } })";

TEST_P(StringsAndStops, NothingTearsAndNothingPushesTheWrongWay) {
  const RunReport report = run_scene(forearm, GetParam());
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  EXPECT_LT(report.constraint_error.max, 1e-8) << report.constraint_error.worst;
  EXPECT_GT(report.impacts.count, 2);
  EXPECT_TRUE(report.is_trusted()) << (report.doubts.empty() ? "" : report.doubts.front());
}

// Methods that follow the motion closely agree on it through five impacts.
TEST(AccurateMethods, AgreeThroughImpacts) {
  const State first = run_scene(forearm, "dop853").final_state;
  const State second = run_scene(forearm, "rk4_projected").final_state;
  EXPECT_LT((first.q - second.q).lpNorm<Eigen::Infinity>(), 5e-5);
}

}  // namespace
}  // namespace taut
