// Hundreds of strings and stops, decided in the solve of each method.
#include "taut/simulate/whole_step.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/builders.hpp"
#include "taut/constraints/distance.hpp"
#include "taut/constraints/hinge.hpp"
#include "taut/constraints/limit.hpp"
#include "taut/constraints/motor.hpp"
#include "taut/constraints/pin.hpp"
#include "taut/scene/scene.hpp"
#include "taut/simulate/bounded_step.hpp"

namespace taut {
namespace {

/// A square net of strings, n along each side, that is pinned at its corners and falls into them.
System net(int n) {
  System system;
  apply(system, Gravity{});
  constexpr double side = 0.1;
  std::vector<BodyId> knots;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j)
      knots.push_back(system.add(Particle{0.05 * (1 + 0.1 * ((3 * i + 5 * j) % 7) / 7.0),
                                          {side * i, 6e-4 * ((7 * i + 3 * j) % 5), side * j}}));
  const auto knot = [&](int i, int j) {
    return Point(knots[static_cast<std::size_t>(i * (n + 1) + j)]);
  };
  const auto tie = [&](const Point& a, const Point& b) {
    constrain(system, Distance{a, b, 1.05 * side, DistanceForm::length, true});
  };
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j) {
      if (i < n) tie(knot(i, j), knot(i + 1, j));
      if (j < n) tie(knot(i, j), knot(i, j + 1));
    }
  for (const int i : {0, n})
    for (const int j : {0, n}) constrain(system, Pin{knot(i, j), {}, {}});
  return system;
}

/// How far a state and its multipliers are from 0 ≤ gap ⊥ force ≥ 0.
struct StringFault {
  double beyond = 0;  // m, of the bounds
  double pull = 0;    // N, in the direction in which it cannot act
  double both = 0;    // the smaller one of a gap and a force
};

void look(const System& system, const State& state, Workspace& w, StringFault& worst) {
  LawRows laws;
  laws.look(system, state, w);
  for (const RowModes::Mode& mode : w.modes.modes()) {
    if (!mode.is_limit()) continue;
    const LawRows::Stop at = laws.stop(mode);
    const double force = (mode.target == mode.law.lower ? -1 : 1) * w.lambda[mode.row];
    worst.beyond = std::max(worst.beyond, -at.gap);
    worst.pull = std::max(worst.pull, -force);
    worst.both = std::max(worst.both, std::min(at.gap, force));
  }
}

std::vector<std::string> methods_with_multipliers() {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods())
    if (method.promises.solves_rows) names.emplace_back(method.name);
  return names;
}

class ManyStrings : public ::testing::TestWithParam<std::string> {
 protected:
  const Promises promises = find_method(GetParam()).promises;
  bool is(std::string_view name) const { return GetParam() == name; }
};
INSTANTIATE_TEST_SUITE_P(Methods, ManyStrings, ::testing::ValuesIn(methods_with_multipliers()),
                         [](const auto& instance) { return instance.param; });

// 180 strings, most of which become taut and slack again.
TEST_P(ManyStrings, AreComplementaryAtTheEndOfEachStep) {
  const System system = net(9);
  ASSERT_GT(count_limits(system).all, LimitCount::most_located);
  const auto method = make_method(GetParam());
  Workspace w(system);
  BoundedStep bounded;
  State state = system.initial_state();
  StringFault worst;
  int fewest = 1000, most = 0;
  for (int i = 0; i < 300; ++i) {
    const StepReport report = bounded.step(system, *method, 0.001, state, w);
    ASSERT_EQ(report.status, StepStatus::ok) << state.time;
    look(system, state, w, worst);
    fewest = std::min(fewest, report.active_limits);
    most = std::max(most, report.active_limits);
  }
  EXPECT_LT(fewest, 20);
  EXPECT_GT(most, 100);
  EXPECT_LT(worst.beyond, promises.exact_constraints ? 1e-11 : 5e-4);
  EXPECT_LT(worst.pull, 1e-9);
  EXPECT_LT(worst.both, promises.exact_constraints ? 2e-9 : 5e-4);
}

// The same net with few strings, decided in the solve and with every event located.
TEST_P(ManyStrings, ApproachTheLocatedMotionWithTheStep) {
  const System system = net(2);
  const double duration = 0.4;
  const auto end = [&](std::string_view name, int most_located, int steps) {
    const auto method = make_method(name);
    Workspace w(system);
    BoundedStep bounded;
    bounded.most_located = most_located;
    State state = system.initial_state();
    for (int i = 0; i < steps; ++i) bounded.step(system, *method, duration / steps, state, w);
    return state.q;
  };
  const VecX located = end("rk4_projected", LimitCount::most_located, 800);
  const auto error = [&](int steps) {
    return (end(GetParam(), 0, steps) - located).lpNorm<Eigen::Infinity>();
  };
  const double rough = error(400), fine = error(1600);
  EXPECT_LT(fine, std::max(0.6 * rough, 3e-5));
  EXPECT_LT(fine, 3e-3);
}

// A thousand strings become taut one after the other, and something hangs in each of them.
TEST_P(ManyStrings, AThousandBecomeTaut) {
  System system;
  apply(system, Gravity{{0, -10, 0}});
  constexpr int n = 1000;
  for (int i = 0; i < n; ++i) {
    const double x = 0.1 * i;
    const BodyId body = system.add(Particle{1 + 0.1 * (i % 7), {x, -4e-4 * i, 0}});
    constrain(system, Distance{world_point(x, 0, 0), Point(body), 0.5, DistanceForm::length, true});
  }
  const RunReport report = testing::run(system, GetParam(), 0.01, 0.5);
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  EXPECT_EQ(report.active_limits.most, n);
  if (promises.exact_constraints) EXPECT_EQ(report.impacts.count, n);
  const double near = promises.exact_constraints ? 1e-9 : is("baumgarte") ? 0.05 : 1e-3;
  for (int i = 0; i < n; ++i) {
    EXPECT_NEAR(report.final_state.q[3 * i + 1], -0.5, near);
    EXPECT_NEAR(report.final_state.v.segment<3>(3 * i).norm(), 0, 10 * near);
  }
}

// Motors and friction are decided with the stops: rods with friction in their hinges swing down to
// stops, some of them driven, some too weakly.
TEST_P(ManyStrings, AndMotorsAndStopsApproachTheLocatedMotion) {
  System system;
  apply(system, Gravity{{0, -10, 0}});
  constexpr int n = 6;
  for (int i = 0; i < n; ++i) {
    const double angle = 0.8 + 0.1 * i;
    RigidBody rod;
    rod.inertia = Vec3(0.02, 0.02, 0.02).asDiagonal();
    rod.position = {0.5 * std::sin(angle), -0.5 * std::cos(angle), 1.0 * i};
    Hinge hinge;
    hinge.b = Point(system.add(rod, "rod" + std::to_string(i)));
    hinge.at = {0, 0, 1.0 * i};
    hinge.axis = {world_body, {0, 0, 1}};
    const std::string name = "hinge" + std::to_string(i);
    constrain(system, hinge, name);
    Motor motor;
    motor.joint = system.joint_coordinate(name);
    motor.speed = i % 2 == 0 ? 0.0 : 0.5;
    motor.max = 0.4 + 0.8 * i;
    constrain(system, motor);
    Limit stop;
    stop.joint = motor.joint;
    stop.lower = -0.6 * angle;
    stop.upper = 0.05;
    constrain(system, stop);
  }
  const auto end = [&](std::string_view name, int most_located, int steps) {
    const auto method = make_method(name);
    Workspace w(system);
    BoundedStep bounded;
    bounded.most_located = most_located;
    State state = system.initial_state();
    for (int i = 0; i < steps; ++i) bounded.step(system, *method, 1.0 / steps, state, w);
    return state.q;
  };
  const VecX located = end("rk4_projected", LimitCount::most_located, 400);
  EXPECT_LT((end(GetParam(), 0, 1600) - located).lpNorm<Eigen::Infinity>(), 5e-3);
}

// A net that falls into its strings within long steps, damped or not, is not to be trusted.
TEST(ManyStringsVerdict, SaysThatMomentsAreNotKnown) {
  const System system = net(9);
  for (const char* method : {"energy_momentum", "icd2", "dop853"}) {
    const RunReport report = testing::run(system, method, 0.005, 0.5);
    EXPECT_EQ(report.status, RunStatus::ok) << method;
    EXPECT_FALSE(report.is_trusted()) << method;
  }
}

// The axes of the arm are driven, and there is dry friction in them, which has to give way.
TEST(WholeStep, FrictionInADrivenJointYieldsAtOnce) {
  const io::Scene scene = io::load_scene("arm");
  RunOptions options;
  options.step = scene.step;
  options.duration = 20 * scene.step;
  const RunReport report = simulate(scene.system, scene.system.initial_state(),
                                    *make_method("strain_limit_gauss_seidel"), options);
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  EXPECT_LT(report.cost.linear_solves, 5 * report.steps);
}

}  // namespace
}  // namespace taut
