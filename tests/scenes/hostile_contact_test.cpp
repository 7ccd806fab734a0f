// Scenes of contacts made to break things (tests/scenes/hostile_contact): bats and tables that are
// driven, belts, strings, joints with motors and friction at once, what sleeps and is woken. How
// each ends is known in closed form. A run may be wrong, but then it says so.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/final_errors.hpp"
#include "taut/analysis/verify.hpp"
#include "taut/scene/method_plan.hpp"
#include "taut/simulate/verdict.hpp"

namespace taut::hostile_contact {
namespace {

const std::filesystem::path folder =
    std::filesystem::path(TAUT_SOURCE_DIR) / "tests/scenes/hostile_contact";

io::Scene load(const std::string& name) {
  return io::load_scene((folder / name).string() + ".json");
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& file : std::filesystem::directory_iterator(folder))
    all.push_back(file.path().stem().string());
  std::sort(all.begin(), all.end());
  return all;
}

struct Outcome {
  RunReport report;
  double error = 0;  // of places, over the size of the scene

  /// To its end: what is sensitive is so until some time only.
  bool is_trusted() const {
    return report.status == RunStatus::ok && report.is_trusted() &&
           (!report.verification || !report.verification->is_sensitive);
  }
};

Outcome run(const io::Scene& scene, const std::string& method, double times_step = 1,
            RunOptions options = {}) {
  options.step = times_step * scene.step;
  options.duration = scene.duration;
  const io::MethodPlan plan = io::plan_method(scene, method, options.step, options.duration, {});
  const State start = scene.system.initial_state();
  Outcome outcome;
  outcome.report = simulate_verified(
      scene.system, start, [&] { return plan.make(); }, options, trusted_error,
      VerifyWhat::unasked);
  outcome.error = testing::relative_final_error(scene, outcome.report.final_state);
  return outcome;
}

class HostileContact : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Scenes, HostileContact, ::testing::ValuesIn(names()),
                         [](const auto& name) { return name.param; });

TEST_P(HostileContact, IsRightOrNotTrusted) {
  const io::Scene scene = load(GetParam());
  for (const MethodInfo& method : methods())
    for (const double times_step : {1.0, 4.0}) {
      const Outcome outcome = run(scene, std::string(method.name), times_step);
      if (!outcome.is_trusted()) continue;
      EXPECT_LE(outcome.error, 1.5 * trusted_error)
          << method.name << " at " << times_step << " times the step";
    }
}

TEST_P(HostileContact, IsRightByItself) {
  const Outcome outcome = run(load(GetParam()), "auto");
  EXPECT_TRUE(outcome.is_trusted())
      << (outcome.report.doubts.empty() ? outcome.report.reason : outcome.report.doubts.front());
  EXPECT_LE(outcome.error, trusted_error);
}

// Free, belt and crate would fall alike: that the belt bears the crate follows from its joint.
TEST(HostileForces, ABeltBearsWhatLiesOnIt) {
  const io::Scene scene = load("crate_held_on_a_conveyor");
  for (const char* method : {"implicit1", "icd2", "energy_momentum", "dop853", "rattle"}) {
    int wrong = 0, looks = 0;
    RunOptions options;
    options.reactions = true;
    options.record_contacts = [&](double time, const std::vector<ContactSample>& samples) {
      if (time < 0.5) return;
      Vec3 force = Vec3::Zero();
      for (const ContactSample& sample : samples) force += sample.force;
      const Vec3 weight(0.3 * 2 * 9.81, 0, 2 * 9.81);
      wrong += (force - weight).norm() > 1e-3 * weight.norm();
      ++looks;
    };
    const RunReport report = run(scene, method, 1, options).report;
    EXPECT_GT(looks, 50) << method;
    EXPECT_EQ(wrong, 0) << method << ", of " << looks;
    const auto rope =
        std::find_if(report.reactions.begin(), report.reactions.end(),
                     [](const auto& reaction) { return reaction.constraint == "rope"; });
    ASSERT_NE(rope, report.reactions.end());
    EXPECT_NEAR(rope->final[0], 0.3 * 2 * 9.81, 1e-3) << method;
  }
}

// What drives the table is the only thing that adds energy, and it is all counted.
TEST(HostileForces, WorkOfATableIsCounted) {
  const RunReport report = run(load("ball_rides_on_a_shaker"), "energy_momentum").report;
  EXPECT_LT(report.energy.max_abs_error, 1e-9);
  EXPECT_EQ(report.impacts.count, 0);
}

TEST(HostileVerdictOfContacts, StartsThatOverlapAreNamed) {
  const io::Scene scene = io::parse_scene(R"json({
    "taut": 1, "shapes": [ { "type": "plane", "name": "ground" } ],
    "bodies": [ { "type": "rigid", "name": "box", "mass": 1, "position": [0, 0, 0.05],
                  "shapes": [ { "type": "box", "size": [0.4, 0.3, 0.2] } ] } ],
    "forces": [ { "type": "gravity", "acceleration": [0, 0, -9.81] },
                { "type": "force", "point": "box",
                  "force": { "type": "formula", "value": ["=0.1*sin(t)", 0, 0] } } ],
    "simulation": { "step": 0.01, "duration": 0.2 } })json",
                                          "overlap.json");
  for (const char* method : {"icd2", "energy_momentum", "dop853", "implicit1"}) {
    const RunReport report = run(scene, method).report;
    ASSERT_FALSE(report.is_trusted()) << method;
    EXPECT_NE(report.doubts.front().find("box and ground overlap by 0.05 m"), std::string::npos)
        << report.doubts.front();
  }
}

}  // namespace
}  // namespace taut::hostile_contact
