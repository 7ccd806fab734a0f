#include "taut/analysis/verify.hpp"

#include <gtest/gtest.h>

#include "support/builders.hpp"
#include "support/messages.hpp"
#include "taut/forces/drag.hpp"
#include "taut/scene/scene.hpp"

namespace taut {
namespace {

RunReport verified(const System& system, const char* name, double step, double duration,
                   double wanted) {
  RunOptions options;
  options.step = step;
  options.duration = duration;
  return simulate_verified(
      system, system.initial_state(), [name] { return make_method(name); }, options, wanted);
}

TEST(Verify, EstimatesTheErrorOfTheFirstRun) {
  const System system = testing::arm(1, 1);
  for (const char* name : {"implicit1", "rattle", "icd2", "energy_momentum", "rk4_projected"}) {
    double true_error = 0;
    std::vector<VecX> truth;
    testing::run(system, "dop853", 0.01, 2, {},
                 [&](const State& state, const VecX&) { truth.push_back(state.q); });
    std::size_t n = 0;
    testing::run(system, name, 0.01, 2, {}, [&](const State& state, const VecX&) {
      true_error = std::max(true_error, (state.q - truth[n++]).norm());
    });
    const RunReport report = verified(system, name, 0.01, 2, 1e-3);
    ASSERT_TRUE(report.verification) << name;
    EXPECT_EQ(report.steps, 200) << name;  // the report is that of the first run
    EXPECT_NEAR(report.verification->error / true_error, 1, 0.1) << name;
  }
}

TEST(Verify, ComparesWithWhatWasAskedFor) {
  const RunReport good = verified(testing::arm(1, 1), "rattle", 0.01, 2, 1e-2);
  EXPECT_TRUE(good.verification->is_met);
  EXPECT_EQ(good.verification->until, 2);
  EXPECT_TRUE(good.is_trusted());
  const RunReport poor = verified(testing::arm(1, 1), "rattle", 0.01, 2, 1e-7);
  EXPECT_FALSE(poor.verification->is_met);
  EXPECT_LT(poor.verification->until, 1);
  EXPECT_FALSE(poor.is_trusted());
  EXPECT_TRUE(
      testing::has_all(poor.doubts.back(), "a step of 0.005 s|the scene's size|only until"));
}

// The angle of a rod that turns about its centre is an error, too, though nothing moves.
TEST(Verify, SeesTurns) {
  System system;
  RigidBody body;
  body.inertia = Vec3(1, 2, 3).asDiagonal();
  body.angular_velocity = {1, 5, 0.1};
  system.add(body);
  const RunReport report = verified(system, "rattle", 0.05, 5, 1e-3);
  EXPECT_GT(report.verification->error, 1e-3);
}

// A servo too stiff for a step has it done in parts. Half a step would be done in parts as long, and
// come out the same, were they not halved, too.
TEST(Verify, HalvesThePartsOfStepsToo) {
  const io::Scene scene = io::parse_scene(R"json({"taut": 1,
    "bodies": [{"type": "rigid", "name": "rod", "mass": 3, "inertia": [0.01, 0.25, 0.25],
      "position": [0.5, 0, 0]}],
    "constraints": [{"type": "hinge", "name": "joint", "b": "rod", "at": [0, 0, 0],
      "axis": [0, 0, 1]}],
    "forces": [{"type": "gravity"}, {"type": "servo", "joint": "joint", "stiffness": 399,
      "target": {"type": "formula", "value": "=sin(3*t)"}}]})json",
                                             "rod");
  const System& system = scene.system;
  VecX truth, end;
  testing::run(system, "dop853", 0.005, 1, {},
               [&](const State& state, const VecX&) { truth = state.q; });
  for (const char* name : {"implicit2", "shake", "rattle", "rk4_projected"}) {
    testing::run(system, name, 0.2, 1, {},
                 [&](const State& state, const VecX&) { end = state.q; });
    const RunReport report = verified(system, name, 0.2, 1, 1e-3);
    ASSERT_TRUE(report.verification) << name;
    EXPECT_GT(report.verification->error, 0.3 * (end - truth).head(3).norm()) << name;
    EXPECT_GT(report.verification->error, 1e-9) << name;
  }
}

TEST(Verify, ChosenStepsAreComparedWithATighterTolerance) {
  RunOptions options;
  options.tolerance = 1e-6;
  options.duration = 2;
  const System system = testing::arm(1, 1);
  const RunReport report = simulate_verified(
      system, system.initial_state(), [] { return make_method("dop853"); }, options, 1e-3);
  ASSERT_TRUE(report.verification);
  EXPECT_TRUE(report.verification->is_met);
  EXPECT_GT(report.verification->error, 1e-12);
  EXPECT_LT(report.verification->error, 1e-4);
}

// Two runs of a chaotic motion part at some time, whatever the method.
TEST(Verify, SaysUntilWhenAChaoticRunCanBeTrusted) {
  const RunReport report = verified(testing::arm(4, 1), "rattle", 0.002, 20, 1e-2);
  EXPECT_FALSE(report.verification->is_met);
  EXPECT_GT(report.verification->until, 1);
  EXPECT_LT(report.verification->until, 15);
}

TEST(Verify, TheUsersRecorderSeesTheFirstRunOnly) {
  RunOptions options;
  options.step = 0.1;
  options.duration = 1;
  std::vector<double> times;
  options.record_states = [&](const State& state) { times.push_back(state.time); };
  const System system = testing::arm(1, 1);
  simulate_verified(
      system, system.initial_state(), [] { return make_method("rattle"); }, options);
  EXPECT_EQ(times.size(), 11u);
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
}

// A pendulum of a micrometre that swings a billion times in a second.
TEST(Verify, ShortTimesAreToldApart) {
  System system;
  apply(system, Gravity{{0, -1e13, 0}});
  const BodyId bob = system.add(Particle{1e-15, {1e-6, 0, 0}});
  constrain(system, Distance{world_point(0, 0, 0), bob, 1e-6});
  const RunReport report = verified(system, "dop853", 3e-12, 3e-9, 1e-3);
  EXPECT_TRUE(report.is_trusted());
  EXPECT_LT(report.verification->relative_error, 1e-9);
}

TEST(Verify, EventsAreToldOnce) {
  System system;
  apply(system, Gravity{});
  const BodyId bob = system.add(Particle{1, {0.3, 0, 0}});
  Distance string{world_point(0, 0, 0), bob, 1};
  string.slack = true;
  constrain(system, string, "string");
  RunOptions options;
  options.step = 0.05;
  options.duration = 1;
  int impacts = 0;
  options.record_event = [&](const StepEvent& event) {
    impacts += event.kind == StepEvent::Kind::impact ? 1 : 0;
  };
  const RunReport report = simulate_verified(
      system, system.initial_state(), [] { return make_method("dop853"); }, options);
  EXPECT_GT(impacts, 0);
  EXPECT_EQ(impacts, report.impacts.count);
}

TEST(Verify, AnEstimateGivesWayToTheComparison) {
  const System system = testing::arm(1, 1);
  RunOptions options;
  options.step = 0.1;
  options.duration = 20;
  const auto make = [] { return make_method("energy_momentum"); };
  const State start = system.initial_state();
  const RunReport once = simulate(system, start, *make(), options);
  ASSERT_FALSE(once.estimated_doubts.empty());
  ASSERT_EQ(once.doubts, once.estimated_doubts);
  const RunReport poor = simulate_verified(system, start, make, options, 1e-3, VerifyWhat::unasked);
  ASSERT_EQ(poor.doubts.size(), 1u);
  EXPECT_TRUE(testing::has_all(poor.doubts.front(), "come out differently"));
  EXPECT_TRUE(
      simulate_verified(system, start, make, options, 10, VerifyWhat::unasked).is_trusted());
}

TEST(Verify, WhatIsSuspectNeedsNoSecondRun) {
  RunOptions options;
  options.step = 0.05;
  options.duration = 5;
  const System system = testing::arm(2, 1);
  const auto make = [] { return make_method("icd"); };
  const State start = system.initial_state();
  EXPECT_TRUE(simulate_verified(system, start, make, options, 1e-2).verification);
  EXPECT_FALSE(
      simulate_verified(system, start, make, options, 1e-2, VerifyWhat::unasked).verification);
}

RunReport unasked(const System& system, const char* name, double step, double duration,
                  double worth = worth_comparing) {
  RunOptions options;
  options.step = step;
  options.duration = duration;
  return simulate_verified(
      system, system.initial_state(), [name] { return make_method(name); }, options, trusted_error,
      VerifyWhat::unasked, worth);
}

// Dampers take energy away, so it does not tell what the method took.
System damped_arm(int links) {
  System system = testing::arm(links, 1);
  Drag drag;
  drag.linear = 0.01;
  apply(system, drag);
  return system;
}

// Where forces damp, neither energy nor a few steps tell how much a method adds to it.
TEST(Verify, UnaskedARunIsComparedWhereNothingElseTells) {
  const System system = damped_arm(2);
  constexpr double step = 0.004, duration = 10, worth = 5e5;
  EXPECT_FALSE(unasked(system, "dop853", step, duration, worth).verification);
  const RunReport damped = unasked(system, "icd2", step, duration, worth);
  ASSERT_TRUE(damped.verification);
  EXPECT_EQ(damped.verification->compared_until, duration);
  EXPECT_GT(damped.verification->relative_error, trusted_error);
  EXPECT_FALSE(damped.is_trusted());
}

// A tolerance holds for each step; what a sensitive motion makes of that is another matter.
TEST(Verify, UnaskedARunWithChosenStepsIsCompared) {
  RunOptions options;
  options.tolerance = 1e-5;
  options.duration = 40;
  const System system = testing::arm(4, 1);
  const RunReport report = simulate_verified(
      system, system.initial_state(), [] { return make_method("dop853"); }, options, trusted_error,
      VerifyWhat::unasked);
  ASSERT_TRUE(report.verification);
  EXPECT_FALSE(report.is_trusted());
}

// Of a very long run a first stretch is compared, and what its error grows to is told.
TEST(Verify, UnaskedOnlyAStretchOfALongRunIsCompared) {
  const System system = damped_arm(1);
  constexpr double step = 2e-3, duration = 20;
  const RunReport report = unasked(system, "icd2", step, duration, 3e4);
  ASSERT_TRUE(report.verification);
  EXPECT_GT(report.verification->compared_until, 0.1 * duration);
  EXPECT_LT(report.verification->compared_until, 0.9 * duration);
  VecX truth;
  testing::run(system, "dop853", 0.01, duration, {},
               [&](const State& state, const VecX&) { truth = state.q; });
  const double error = (report.final_state.q - truth).norm();
  EXPECT_LT(error, 3 * report.verification->relative_error);
  EXPECT_GT(3 * error, report.verification->relative_error);
}

}  // namespace
}  // namespace taut
