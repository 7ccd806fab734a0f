// What is done about steps that do not go well, and what is said about it.
#include "taut/simulate/step_policy.hpp"

#include <gtest/gtest.h>

#include "support/builders.hpp"

namespace taut {
namespace {

/// A string of 1 m that is let go 0.2 m below its upper end: it is taut after 0.4 s.
System falling_on_a_string() {
  System system;
  apply(system, Gravity{{0, 0, -10}});
  const BodyId ball = system.add(Particle{1, {0, 0, -0.2}});
  Distance string{world_point(0, 0, 0), ball, 1};
  string.slack = true;
  constrain(system, string, "string");
  return system;
}

TEST(StepPolicy, TheTraceTellsWhenAStringBecameTaut) {
  const System system = falling_on_a_string();
  const auto method = make_method("dop853");
  StepPolicy policy;
  Workspace w(system);
  State state = system.initial_state();
  policy.start(system, state, w);
  std::vector<StepEvent> seen;
  for (int i = 0; i < 10; ++i) {
    const StepReport report = policy.step(system, *method, 0.07, state, w);
    EXPECT_EQ(report.status, StepStatus::ok);
    seen.insert(seen.end(), report.trace.begin(), report.trace.end());
  }
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].kind, StepEvent::Kind::cut);
  EXPECT_EQ(seen[1].kind, StepEvent::Kind::impact);
  EXPECT_NEAR(seen[1].time, 0.4, 1e-9);
  EXPECT_NEAR(seen[1].amount, -0.5 * 16, 1e-6);
  EXPECT_EQ(seen[1].row, 0);
}

TEST(StepPolicy, DoesWhatARunDoes) {
  const System system = falling_on_a_string();
  RunOptions options;
  options.step = 0.07;
  options.duration = 0.7;
  long events = 0;
  options.record_event = [&](const StepEvent&) { ++events; };
  const auto method = make_method("icd2"), same = make_method("icd2");
  const RunReport run = simulate(system, system.initial_state(), *method, options);
  StepPolicy policy;
  Workspace w(system);
  State state = system.initial_state();
  policy.start(system, state, w);
  for (int i = 1; i <= 10; ++i) {
    policy.step(system, *same, 0.07, state, w);
    state.time = 0.07 * i;
  }
  EXPECT_EQ(run.final_state.q, state.q);
  EXPECT_EQ(run.final_state.v, state.v);
  EXPECT_GT(run.events[static_cast<std::size_t>(StepEvent::Kind::impact)], 0);
  long counted = 0;
  for (const long count : run.events) counted += count;
  EXPECT_EQ(counted, events);
}

/// Cannot do steps longer than `longest`.
struct Impatient final : Method {
  double longest = 0;
  int calls = 0;

  StepReport step(const System&, double h, State& state, Workspace&) override {
    ++calls;
    StepReport report;
    report.linear_solves = 1;
    if (h > longest) {
      report.status = StepStatus::not_converged;
      report.residual = 1;
    }
    state.time += h;
    return report;
  }
};

TEST(StepPolicy, StepsAreHalvedUntilTheyAreShortEnough) {
  System system;
  system.add(Particle{1, {0, 0, 0}});
  Workspace w(system);
  State state = system.initial_state();
  Impatient method;
  method.longest = 0.3;
  StepPolicy policy;
  StepReport report = policy.step(system, method, 1, state, w);
  EXPECT_EQ(report.status, StepStatus::ok);
  EXPECT_EQ(report.halvings, 2);
  EXPECT_EQ(method.calls, 1 + 1 + 4);
  EXPECT_EQ(report.linear_solves, 6) << "what was in vain cost something, too";
  ASSERT_EQ(report.trace.size(), 1u);
  EXPECT_EQ(report.trace[0].kind, StepEvent::Kind::halved);
  EXPECT_EQ(report.trace[0].amount, 4);
  EXPECT_EQ(report.trace[0].time, 0);
  // Difficult times last: the next one begins with halves.
  report = policy.step(system, method, 1, state, w);
  EXPECT_EQ(method.calls, 6 + 1 + 4);
}

// A pendulum without weight: the faster it goes round, the longer is a step.
TEST(StepPolicy, AStepIsDoneInPartsWhereItsOwnEstimateAsksForIt) {
  System system;
  const BodyId bob = system.add(Particle{1, {1, 0, 0}, {0, 1, 0}});
  constrain(system, Distance{world_point(0, 0, 0), bob, 1});
  const auto plain = make_method("dop853");
  const auto careful = make_method("dop853", std::vector<OptionValue>{{"step_error", "1e-10"}});
  for (const double speed : {1.0, 10.0}) {
    const State start{0, system.initial_state().q, speed * system.initial_state().v};
    for (Method* method : {plain.get(), careful.get()}) {
      StepPolicy policy;
      Workspace w(system);
      State state = start;
      const StepReport report = policy.step(system, *method, 0.2, state, w);
      const bool is_divided = method == careful.get() && speed > 1;
      EXPECT_EQ(report.status, StepStatus::ok);
      EXPECT_EQ(report.halvings > 0, is_divided);
      const Vec3 truth(std::cos(0.2 * speed), std::sin(0.2 * speed), 0);
      const double error = (state.q - truth).norm();
      EXPECT_EQ(error < 1e-9, is_divided || speed == 1) << error;
    }
  }
}

TEST(StepPolicy, WhereHalvingDoesNotHelpItIsTriedMoreAndMoreSeldom) {
  System system;
  system.add(Particle{1, {0, 0, 0}});
  Workspace w(system);
  State state = system.initial_state();
  Impatient method;
  StepPolicy policy({.max_halvings = 2});
  std::vector<int> tried;
  for (int i = 0; i < 20; ++i) {
    const int before = method.calls;
    const StepReport report = policy.step(system, method, 1, state, w);
    EXPECT_EQ(report.status, StepStatus::not_converged);
    if (method.calls > before + 1) {
      tried.push_back(i);
      ASSERT_EQ(report.trace.size(), 1u);
      EXPECT_EQ(report.trace[0].kind, StepEvent::Kind::not_halved);
    }
  }
  EXPECT_EQ(tried, (std::vector<int>{0, 2, 5, 10, 19}));
}

}  // namespace
}  // namespace taut
