// Scenes made to break things (tests/scenes/hostile): rows that say the same, stops and strings
// that fight, singular positions, tiny and huge, all at once. How each ends is known: from closed
// forms, or from an integration in its one or two coordinates. A run may be wrong, but then it says
// so.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "support/final_errors.hpp"
#include "taut/analysis/verify.hpp"
#include "taut/base/error.hpp"
#include "taut/constraints/ball.hpp"
#include "taut/constraints/distance.hpp"
#include "taut/scene/method_plan.hpp"
#include "taut/simulate/verdict.hpp"

namespace taut::hostile {
namespace {

const std::filesystem::path folder =
    std::filesystem::path(TAUT_SOURCE_DIR) / "tests/scenes/hostile";

std::vector<std::string> hostile_scenes() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(folder))
    names.push_back(file.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

struct Outcome {
  RunReport report;
  std::string method;
  double error = 0;  // of places and angles, over the size of the scene
};

Outcome run(const io::Scene& scene, const std::string& method, double times_step) {
  const std::size_t space = method.find(' ');
  std::vector<OptionValue> more;
  if (space != std::string::npos) more = {{"order", method.substr(space + 1)}};
  RunOptions options;
  options.step = times_step * scene.step;
  options.duration = scene.duration;
  const io::MethodPlan plan =
      io::plan_method(scene, method.substr(0, space), options.step, options.duration, more);
  const State start = scene.system.initial_state();
  Outcome outcome;
  outcome.method = plan.info->name;
  outcome.report = simulate_verified(
      scene.system, start, [&] { return plan.make(); }, options, trusted_error,
      VerifyWhat::unasked);
  outcome.error = testing::relative_final_error(scene, outcome.report.final_state);
  return outcome;
}

class HostileScene : public ::testing::TestWithParam<std::string> {
 protected:
  io::Scene scene_ = io::load_scene((folder / (GetParam() + ".json")).string());
};
INSTANTIATE_TEST_SUITE_P(Scenes, HostileScene, ::testing::ValuesIn(hostile_scenes()),
                         [](const auto& name) { return name.param; });

TEST_P(HostileScene, IsRightOrNotTrusted) {
  const auto check = [this](const char* method, double times_step) {
    const Outcome outcome = run(scene_, method, times_step);
    if (outcome.report.status != RunStatus::ok || !outcome.report.is_trusted()) return;
    // A verdict rests on an estimate of the error, and some errors grow more than it says.
    EXPECT_LE(outcome.error, 1.5 * trusted_error)
        << method << " at " << times_step << " times the step";
  };
  for (const char* method : {"icd2", "energy_momentum", "energy_momentum 4", "dop853",
                             "rk4_projected", "implicit1", "rattle"})
    for (const double times_step : {1.0, 4.0}) check(method, times_step);
  for (const char* method :
       {"icd", "implicit2", "shake", "sap", "fast_projection", "implicit_springs",
        "sequential_impulse", "tgs_soft", "generalized_alpha", "gear_stabilised", "soft_convex",
        "pbd", "xpbd", "vbd", "avbd", "projective_dynamics"})
    check(method, 1);
}

// Scenes that `auto` need not solve, and what it says of them.
const std::map<std::string, std::string> unsolved{
    {"motor_without_bound_against_a_stop", "nothing satisfies it"},
    {"rod_of_a_picometre", "diverges: the rod is shorter than its positions can tell"},
    {"toggle_in_line", "it moves as far as errors of 1e-9 in length let it"},
    {"rod_without_weight", "it chooses a robust method, which damps"},
};

TEST_P(HostileScene, IsRightByItself) {
  const Outcome outcome = run(scene_, "auto", 1);
  const bool is_trusted = outcome.report.status == RunStatus::ok && outcome.report.is_trusted();
  if (unsolved.contains(GetParam())) {
    EXPECT_FALSE(is_trusted) << "take it off the list";
    return;
  }
  EXPECT_TRUE(is_trusted) << outcome.method << ": "
                          << (outcome.report.doubts.empty() ? outcome.report.reason
                                                            : outcome.report.doubts.front());
  EXPECT_LE(outcome.error, outcome.method == "dop853" ? 1e-7 : trusted_error) << outcome.method;
}

// A motor without a bound is a constraint on speeds: where a stop holds it, no motion satisfies
// both.
TEST(HostileVerdict, AMotorThatCannotTurnIsNamed) {
  const io::Scene scene =
      io::load_scene((folder / "motor_without_bound_against_a_stop.json").string());
  for (const char* method : {"icd2", "energy_momentum"}) {
    const RunReport report = run(scene, method, 4).report;
    ASSERT_FALSE(report.is_trusted()) << method;
    EXPECT_TRUE(report.status != RunStatus::ok ||
                report.doubts.front().find("motor \"m1\" is off its speed") != std::string::npos)
        << report.doubts.front();
  }
}

// It is an equation on velocities from the first moment on, not what a feedback approaches.
TEST(HostileVerdict, AMotorWithoutABoundHasItsSpeedAtOnce) {
  for (const char* name : {"motor_starts_from_rest", "double_cardan"})
    for (const char* method : {"lagrange", "baumgarte", "post", "implicit1", "rattle", "dop853"}) {
      const Outcome outcome = run(io::load_scene((folder / name).string() + ".json"), method, 1);
      EXPECT_LE(outcome.error, 1e-6) << name << ", " << method;
      EXPECT_EQ(outcome.report.activation.count, 1) << name << ", " << method;
    }
}

TEST(HostileVerdict, WhatIsAtRestIsNotDoubtedForItsRoundOff) {
  for (const char* name : {"gears_that_lock", "nothing_can_move"})
    for (const char* method : {"icd2", "energy_momentum", "dop853", "rattle"}) {
      const io::Scene scene = io::load_scene((folder / name).string() + ".json");
      const RunReport report = run(scene, method, 1).report;
      EXPECT_TRUE(report.is_trusted()) << name << ", " << method << ": " << report.doubts.front();
    }
}

// Of its row only round-off would be left, and forces without bounds.
TEST(HostileVerdict, NothingIsTiedToItself) {
  System system;
  const BodyId body = system.add(RigidBody{});
  const Point a(body, {0.3, 0, 0}), b(body, {-0.3, 0.1, 0});
  EXPECT_THROW(constrain(system, Distance{a, b, {}}), Error);
  EXPECT_THROW(constrain(system, Ball{a, b}), Error);
}

}  // namespace
}  // namespace taut::hostile
