#include "taut/simulate/simulation.hpp"

#include <gtest/gtest.h>

#include "support/builders.hpp"
#include "taut/base/error.hpp"
#include "taut/forces/point_force.hpp"

namespace taut {
namespace {

using testing::arm;

TEST(Simulate, TakesTheStepsThatReachTheDuration) {
  EXPECT_EQ(testing::run(arm(1, 1), "implicit1", 0.1, 1).steps, 10);
  EXPECT_EQ(testing::run(arm(1, 1), "implicit1", 0.3, 1).steps, 4);
  EXPECT_EQ(testing::run(arm(1, 1), "implicit1", 1e-3, 20).steps, 20000);
  EXPECT_EQ(testing::run(arm(1, 1), "implicit1", 5, 1).steps, 1);
  EXPECT_DOUBLE_EQ(testing::run(arm(1, 1), "implicit1", 0.1, 1).time, 1);
}

TEST(Simulate, EndsExactlyAtTheDuration) {
  EXPECT_EQ(testing::run(arm(1, 1), "icd2", 3, 10).time, 10);
  EXPECT_EQ(testing::run(arm(1, 1), "icd2", 3, 10).final_state.time, 10);
  EXPECT_EQ(testing::run(arm(1, 1), "icd2", 1e9, 10).time, 10);
  EXPECT_EQ(testing::run(arm(1, 1), "icd2", 0.03, 0.1).time, 0.1);
}

// A duration that is n steps only up to rounding is n whole steps: 100 · 0.07 ≠ 7 in floating
// point.
TEST(Simulate, RoundOffDoesNotShortenTheLastStep) {
  for (const double h : {0.01, 0.07, 0.1, 1.0 / 3, 1.0 / 60}) {
    for (const long n : {1L, 3L, 7L, 100L, 999L, 1000L}) {
      const System system = arm(1, 1);
      State state = system.initial_state();
      Workspace workspace(system);
      const auto method = make_method("implicit1");
      for (long i = 0; i < n; ++i) method->step(system, h, state, workspace);
      for (const double duration :
           {static_cast<double>(n) * h, std::nextafter(static_cast<double>(n) * h, 0),
            static_cast<double>(n) * h * (1 + 1e-14)}) {
        const RunReport report = testing::run(arm(1, 1), "implicit1", h, duration);
        EXPECT_EQ(report.steps, n) << h;
        EXPECT_EQ(report.final_state.q, state.q) << h << " " << n;
        EXPECT_EQ(report.time, static_cast<double>(n) * h);
      }
    }
  }
}

// With a last step of a fraction the methods keep their order: those with memory, too.
TEST(Simulate, AShortenedLastStepKeepsTheOrder) {
  for (const char* name : {"rattle", "icd2", "implicit1", "energy_momentum"}) {
    const auto error = [&](double h) {
      const double duration = 1;
      const RunReport exact = testing::run(arm(1, 1), "dop853", 1e-3, duration);
      const RunReport found = testing::run(arm(1, 1), name, h, duration);
      EXPECT_EQ(found.time, duration) << name;
      return (found.final_state.q - exact.final_state.q).norm();
    };
    const double coarse = error(1 / 100.3), fine = error(1 / 200.3);  // 0.3 of a step is left
    const double order = make_method(name)->order();
    EXPECT_GT(std::log2(coarse / fine), order - 0.25) << name << " " << coarse << " " << fine;
  }
}

// What is left of constraints, over a tiny step, would be a velocity.
TEST(Simulate, AnEndJustBehindAStepIsAPartOfThatStep) {
  const RunReport longer = testing::run(arm(1, 1), "icd", 0.01, 0.10005);
  EXPECT_EQ(longer.steps, 10);
  EXPECT_EQ(longer.time, 0.10005);
  EXPECT_EQ(testing::run(arm(1, 1), "icd", 0.01, 0.1002).steps, 11);
}

TEST(Simulate, ReportsTheConstraintWithTheLargestError) {
  RunOptions options;
  options.step = 0.05;
  options.duration = 1;
  const System system = arm(3, 1);
  double largest = 0, at = 0;
  int worst = -1;
  options.record_states = [&](const State& state) {
    if (state.time == 0) return;
    std::vector<double> errors(3);
    system.constraints().front()->errors(Pose(system, state.q), state.time, errors);
    for (int i = 0; i < 3; ++i)
      if (errors[static_cast<std::size_t>(i)] > largest) {
        largest = errors[static_cast<std::size_t>(i)];
        at = state.time;
        worst = i;
      }
  };
  const auto method = make_method("implicit1");
  const RunReport report = simulate(system, system.initial_state(), *method, options);
  EXPECT_EQ(report.constraint_error.max, largest);
  EXPECT_EQ(report.constraint_error.worst_at, at);
  EXPECT_EQ(report.constraint_error.worst, system.constraints().front()->name(worst));
}

TEST(Simulate, RefusesStepsThatAreNone) {
  for (double bad : {0.0, -1.0, double(NAN), double(INFINITY)}) {
    EXPECT_THROW(testing::run(arm(1, 1), "implicit1", bad, 1), Error) << bad;
    EXPECT_THROW(testing::run(arm(1, 1), "implicit1", 0.1, bad), Error) << bad;
  }
  EXPECT_THROW(testing::run(arm(1, 1), "implicit1", 1e-300, 1), Error);
}

TEST(Simulate, RecordsTheStartEveryKthStepAndTheEnd) {
  std::vector<double> times;
  RunOptions options;
  options.step = 0.1;
  options.duration = 1;
  options.record_every = 4;
  options.record = [&](const State& state, const VecX&) { times.push_back(state.time); };
  const System system = arm(1, 1);
  const auto method = make_method("implicit1");
  simulate(system, system.initial_state(), *method, options);
  ASSERT_EQ(times.size(), 4u);
  EXPECT_DOUBLE_EQ(times[0], 0);
  EXPECT_DOUBLE_EQ(times[1], 0.4);
  EXPECT_DOUBLE_EQ(times[3], 1);
}

TEST(Simulate, StopsWhenAskedTo) {
  RunOptions options;
  options.step = 1e-4;
  options.duration = 1e6;
  options.keep_going = [](const RunProgress& progress) { return progress.time < 0.01; };
  const System system = arm(2, 1);
  const auto method = make_method("implicit1");
  const RunReport report = simulate(system, system.initial_state(), *method, options);
  EXPECT_EQ(report.status, RunStatus::interrupted);
  EXPECT_GT(report.steps, 0);
  EXPECT_TRUE(report.final_state.q.allFinite());
}

TEST(Simulate, StopsAtTheErrorBoundAndNamesTheConstraint) {
  RunOptions options;
  options.duration = 20;
  options.error_bound = 0.5;
  const System system = arm(2, 10);
  const auto method = make_method("lagrange");
  const RunReport report = simulate(system, system.initial_state(), *method, options);
  EXPECT_EQ(report.status, RunStatus::diverged);
  EXPECT_EQ(report.diverged_at_step, report.steps);
  EXPECT_NE(report.reason.find("link"), std::string::npos) << report.reason;
  EXPECT_GT(report.constraint_error.final, 0.5);
}

TEST(Simulate, StopsWhenTheStateIsNotFinite) {
  System system = arm(1, 1);
  apply(system, PointForce{Point(BodyId{0}), Vec3(0, 1e308, 0)});
  const RunReport report = testing::run(system, "implicit1", 10, 100);
  EXPECT_EQ(report.status, RunStatus::diverged);
  EXPECT_EQ(report.reason, "the state is not finite");
}

// SHAKE has no solution when the step asks for a link turned beyond the perpendicular.
System fast_link(double speed) {
  System system;
  const BodyId body = system.add(Particle{1, {1, 0, 0}, {0, speed, 0}});
  constrain(system, Distance{world_point(0, 0, 0), body, 1.0});
  return system;
}

TEST(Simulate, StopsWhenAStepHasNoSolution) {
  for (const RunReport& report : {testing::run(fast_link(1000), "shake", 0.5, 5),
                                  testing::run_as_is(fast_link(10), "shake", 0.5, 5)}) {
    EXPECT_EQ(report.status, RunStatus::diverged);
    EXPECT_EQ(report.diverged_at_step, 1);
    EXPECT_NE(report.reason.find("did not converge"), std::string::npos) << report.reason;
  }
}

TEST(Simulate, StepsThatFailAreDoneInParts) {
  const RunReport report = testing::run(fast_link(10), "shake", 0.5, 5);
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  EXPECT_EQ(report.cost.halved_steps, 10);
  EXPECT_EQ(report.cost.unconverged_steps, 0);
  EXPECT_LT(report.constraint_error.max, 1e-12);
  EXPECT_EQ(testing::run(fast_link(1), "shake", 0.5, 5).cost.halved_steps, 0);
}

/// Pushes the first body and says so.
struct Push final : Method {
  StepReport report;
  StepReport step(const System& system, double h, State& state, Workspace&) override {
    const double before = system.kinetic_energy(state.v);
    state.v[0] += h;
    state.q += h * state.v;
    state.time += h;
    report.work = system.kinetic_energy(state.v) - before;
    return report;
  }
};

TEST(Simulate, WorkIsNoErrorOfEnergy) {
  System system;
  system.add(Particle{2});
  Push push;
  RunOptions options;
  options.duration = 1;
  const RunReport report = simulate(system, system.initial_state(), push, options);
  EXPECT_NEAR(report.energy.work, 1, 1e-12);
  EXPECT_NEAR(report.energy.final, 1, 1e-12);
  EXPECT_LT(report.energy.max_abs_error, 1e-12);
}

TEST(Simulate, ACompromiseIsLetPassAndCounted) {
  System system;
  system.add(Particle{2});
  Push push;
  push.report.status = StepStatus::compromise;
  push.report.residual = 1e9;
  push.report.halvings = 2;
  RunOptions options;
  options.duration = 1;
  const RunReport report = simulate(system, system.initial_state(), push, options);
  EXPECT_EQ(report.status, RunStatus::ok);
  EXPECT_EQ(report.cost.compromise_steps, 100);
  EXPECT_EQ(report.cost.halved_steps, 100);  // those within the method count
  EXPECT_EQ(report.cost.unconverged_steps, 0);
}

/// Always a compromise, with multipliers that grow as those of one do when the step shrinks.
struct Contradiction final : Method {
  double step_size;
  double worst_guess = 0;  ///< the largest multiplier a whole step was begun with
  explicit Contradiction(double h) : step_size(h) {}
  StepReport step(const System& system, double h, State& state, Workspace& w) override {
    w.adapt(system);
    if (h == step_size && w.lambda.size() > 0)
      worst_guess = std::max(worst_guess, w.lambda.lpNorm<Eigen::Infinity>());
    w.lambda.setConstant(w.pattern.rows(), 1 / (h * h));
    state.time += h;
    StepReport report;
    report.status = StepStatus::compromise;
    return report;
  }
};

TEST(Simulate, MultipliersOfPartsAreNoGuessForTheWholeStep) {
  System system;
  constrain(system, Pin{system.add(Particle{1}), {}});
  Contradiction method(0.125);
  RunOptions options;
  options.step = 0.125;
  options.duration = 2;
  const RunReport report = simulate(system, system.initial_state(), method, options);
  EXPECT_EQ(report.cost.compromise_steps, 16);
  EXPECT_EQ(method.worst_guess, 64);
}

TEST(Simulate, MeasuresDeviationFromAReference) {
  RunOptions options;
  options.step = 0.01;
  options.duration = 1;
  options.reference = ReferenceTrack{"node1", Point(BodyId{0}), 0, 0.5, [](double) { return 1.0; }};
  System system;
  system.add(Particle{1, {1, 0, 0}, {2, 0, 0}});
  const auto method = make_method("implicit1");
  const RunReport report = simulate(system, system.initial_state(), *method, options);
  ASSERT_TRUE(report.reference_deviation);
  EXPECT_NEAR(report.reference_deviation->max, 1.0, 1e-12);
  EXPECT_NEAR(report.reference_deviation->until, 0.5, 1e-12);
  EXPECT_NEAR(report.reference_deviation->rms, std::sqrt((51.0 * 101) / (6 * 50 * 50)), 1e-12);
}

TEST(Simulate, IsDeterministic) {
  const auto once = [] {
    std::vector<double> all;
    testing::run(arm(20, 0.3), "implicit2", 1e-3, 1, {}, [&](const State& state, const VecX& l) {
      all.insert(all.end(), state.q.begin(), state.q.end());
      all.insert(all.end(), l.begin(), l.end());
    });
    return all;
  };
  EXPECT_EQ(once(), once());
}

TEST(Simulate, ASystemThatGrowsBetweenStepsIsFollowed) {
  System system = arm(2, 1);
  State state = system.initial_state();
  Workspace workspace(system);
  const auto method = make_method("implicit1");
  method->step(system, 0.01, state, workspace);
  constrain(system, Distance{world_point(0, 0, 0), BodyId{1}, {}});
  for (int i = 0; i < 10; ++i) method->step(system, 0.01, state, workspace);
  EXPECT_EQ(workspace.lambda.size(), 3);
  EXPECT_TRUE(state.q.allFinite());
}

}  // namespace
}  // namespace taut
