// Random mechanisms against their true motion: no result is wrong while the run says "ok".
// The program random_mechanisms searches more widely.
#include <gtest/gtest.h>

#include "support/mechanism_check.hpp"
#include "taut/scene/scene.hpp"

namespace taut::testing {
namespace {

class RandomMechanisms : public ::testing::TestWithParam<std::string> {};

TEST_P(RandomMechanisms, NoneIsWrongAndOk) {
  int compared = 0;
  for (unsigned round = 0; round < 2; ++round) {
    const RandomMechanism random = random_mechanism(seed_of(GetParam(), round));
    if (random.attempts < 0) continue;
    for (const std::string& method : tested_methods()) {
      const Verdict verdict = check(random, method);
      EXPECT_FALSE(verdict.is_wrong) << verdict_text(random, verdict);
      // To give up is no way to be right; of the methods, one must do.
      if (method == "auto") {
        EXPECT_TRUE(verdict.is_ok) << verdict_text(random, verdict);
      }
      ++compared;
    }
    if (random.mechanism.freedoms >= 0) break;  // linkages take longest: one of each
  }
  EXPECT_GE(compared, 9);
}

INSTANTIATE_TEST_SUITE_P(Families, RandomMechanisms, ::testing::ValuesIn([] {
                           const std::vector<std::string_view> names = mechanism_families();
                           return std::vector<std::string>(names.begin(), names.end());
                         }()),
                         [](const auto& family) { return family.param; });

// Found by the program: each went wrong at one step size or at all.
struct Found {
  unsigned seed;
  std::vector<std::string> methods;
};

class FoundMechanisms : public ::testing::TestWithParam<Found> {};

TEST_P(FoundMechanisms, IsRight) {
  const RandomMechanism random = random_mechanism(GetParam().seed);
  ASSERT_EQ(random.mechanism.family, "one_sided_loop");
  for (const std::string& method : GetParam().methods) {
    const MethodRun run = run_method(random, method, first_steps(random));
    EXPECT_EQ(run.status, RunStatus::ok) << method << ": " << run.reason;
    EXPECT_FALSE(run.has_warned) << method;
    EXPECT_LT(run.error, 0.05) << method;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Seeds, FoundMechanisms,
    ::testing::Values(
        // Masses that differ by 7e8: rows that matter had less left than counts as nothing.
        Found{945, {"icd2", "energy_momentum4", "dop853", "implicit1", "implicit2", "rattle"}},
        // A stop on a light body that drives a heavy one.
        Found{1825, {"icd2", "energy_momentum", "dop853", "rattle"}},
        // Joints with friction or a motor that turn back at a dead point while the rest moves on.
        Found{989, {"icd2", "implicit1"}}, Found{1957, {"icd2"}}),
    [](const auto& found) { return std::to_string(found.param.seed); });

// Friction turns round within a step: what remembers the acceleration before it is wrong ever
// after.
TEST(FoundMechanisms, TwoStepMethodsBeginAnewWhereFrictionTurns) {
  const RandomMechanism random = random_mechanism(20215);
  ASSERT_EQ(random.mechanism.family, "friction");
  const long steps = first_steps(random);
  const double coarse = run_method(random, "icd2", steps).error;
  EXPECT_LT(coarse, 1e-3);
  EXPECT_LT(run_method(random, "icd2", 4 * steps).error, 0.1 * coarse);
}

// A stop bounces to rest beside a motor that slips after each bounce.
TEST(FoundMechanisms, BouncesBesideASlippingMotorAreCounted) {
  const RandomMechanism random = random_mechanism(6114);
  ASSERT_EQ(random.mechanism.family, "mixed");
  for (const char* method : {"dop853", "energy_momentum4", "rk4_projected"})
    EXPECT_LT(run_method(random, method, first_steps(random)).error, 1e-5) << method;
}

// Two stops are hit within 1e-4 s, and which is first decides how both go on.
TEST(FoundMechanisms, OrderOfImpactsIsDoubtedAtOrderOne) {
  const RandomMechanism random = random_mechanism(171);
  ASSERT_EQ(random.mechanism.family, "stop");
  const MethodRun rough = run_method(random, "implicit1", first_steps(random));
  EXPECT_GT(rough.error, 0.1);
  EXPECT_FALSE(rough.is_trusted);
  EXPECT_TRUE(run_method(random, "dop853", first_steps(random)).is_trusted);
}

// Thin rods that spin. A reference that knows the inertia about their axes only as the difference
// of what they have in the directions of the world is off by 1e-7 after a second, where dop853 is
// not.
TEST(FoundMechanisms, TheReferenceKnowsThinBodies) {
  const RandomMechanism random = random_mechanism(3100054);
  ASSERT_EQ(random.mechanism.family, "spinning");
  EXPECT_GT(random.motion.uncertainty, 0);
  for (const char* method : {"auto", "dop853"}) {
    const Verdict verdict = check(random, method);
    EXPECT_FALSE(verdict.is_wrong) << verdict_text(random, verdict);
    EXPECT_LT(run_method(random, method, first_steps(random)).error, 1e-7) << method;
  }
}

// What energy_momentum misses of a thin rod's spin in long steps does not fall with the order yet;
// it is doubted there. In short ones it does.
TEST(FoundMechanisms, LongStepsForThinBodiesAreDoubted) {
  const RandomMechanism random = random_mechanism(3100058);
  ASSERT_EQ(random.mechanism.family, "spinning");
  const long steps = first_steps(random);
  const MethodRun longest = run_method(random, "energy_momentum", steps);
  EXPECT_GT(longest.error, 0.5);
  EXPECT_FALSE(longest.is_trusted);
  const Verdict verdict = check(random, "energy_momentum");
  EXPECT_FALSE(verdict.is_wrong) << verdict_text(random, verdict);
  EXPECT_TRUE(verdict.runs.back().is_trusted);
  EXPECT_LT(verdict.runs.back().error, 0.01);
}

// So that a method that loses more than friction takes is found out.
TEST(FoundMechanisms, WorkOfFrictionIsCounted) {
  const RandomMechanism random = random_mechanism(19);
  ASSERT_EQ(random.mechanism.family, "friction");
  const double h = random.mechanism.duration / static_cast<double>(first_steps(random));
  const io::Scene scene =
      io::parse_scene(scene_text(random.mechanism, "friction", h), "random mechanism");
  RunOptions options;
  options.step = scene.step;
  options.duration = scene.duration;
  const RunReport report =
      simulate(scene.system, scene.system.initial_state(), *make_method("dop853"), options);
  EXPECT_LT(report.energy.work, 0);
  EXPECT_LT(report.energy.max_abs_error, -1e-6 * report.energy.work);
  EXPECT_TRUE(report.is_trusted());
}

}  // namespace
}  // namespace taut::testing
