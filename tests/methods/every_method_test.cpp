// What every listed method must do, whatever it is.
#include <gtest/gtest.h>

#include "support/builders.hpp"
#include "support/random_scene.hpp"
#include "taut/base/error.hpp"

namespace taut {
namespace {

using testing::arm;
using testing::run;

class EveryMethod : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod, ::testing::ValuesIn(testing::method_names()),
                         [](const auto& name) { return name.param; });

// Twice the mean time between crossings of the vertical, by linear interpolation.
double period(const System& system, const std::string& method, double h, double duration) {
  std::vector<double> crossings;
  double x_before = NAN, t_before = 0;
  run(system, method, h, duration, {}, [&](const State& state, const VecX&) {
    const double x = state.q[0];
    if (x_before * x < 0) crossings.push_back(t_before + h * x_before / (x_before - x));
    x_before = x;
    t_before = state.time;
  });
  EXPECT_GE(crossings.size(), 3u);
  return 2 * (crossings.back() - crossings.front()) / static_cast<double>(crossings.size() - 1);
}

TEST_P(EveryMethod, PendulumPeriod) {
  EXPECT_NEAR(period(arm(1, 1), GetParam(), 2e-4, 6), 2.367841947576, 0.01);
}

TEST_P(EveryMethod, CompoundPendulumPeriod) {
  const double angle = 0.1;
  const double small = 2 * M_PI * std::sqrt(2.0 / (3 * 9.81));
  EXPECT_NEAR(period(testing::rod_pendulum(1, angle), GetParam(), 5e-4, 5),
              small * (1 + angle * angle / 16), 0.01);
}

// A pendulum whose pivot swings and whose length grows, started with the right velocities.
TEST_P(EveryMethod, FollowsDrivenConstraints) {
  System system;
  apply(system, Gravity{});
  const Motion<Vec3> swing = SineMotion<Vec3>{Vec3::Zero(), {0.2, 0, 0.1}, 0.5, 0};
  const LineMotion<double> grow{1, 0.1};
  const Vec3 speed = swing.at(0).rate;
  const BodyId pivot = system.add(Particle{1, {0, 0, 0}, speed});
  const BodyId bob = system.add(Particle{1, {1, 0, 0}, speed + Vec3(0.1, 0, 0)});
  constrain(system, Pin{pivot, swing});
  constrain(system, Distance{pivot, bob, grow});
  const State truth = run(system, "rattle", 1e-4, 1).final_state;
  const RunReport report = run(system, GetParam(), 1e-3, 1);
  EXPECT_EQ(report.status, RunStatus::ok);
  EXPECT_LT(report.constraint_error.max, 0.02);
  EXPECT_LT((report.final_state.q - truth.q).norm(), 0.03);
}

// In the middle of a step. From then on it falls, and its error is none of the pin's.
TEST_P(EveryMethod, APinLetsGoInTime) {
  System system;
  apply(system, Gravity{});
  const BodyId body = system.add(Particle{2, {0, 1, 0}});
  constrain(system, Pin{body, {}, 0.5005});
  VecX held;
  const RunReport report =
      run(system, GetParam(), 2e-3, 1, {}, [&](const State& state, const VecX& l) {
        if (state.time < 0.4) held = l;
      });
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  const double fall = 1 - 0.5005;
  EXPECT_NEAR(report.final_state.q[1], 1 - 0.5 * 9.81 * fall * fall, 0.012);  // first order: g h/2
  // A formula of two steps does not see the jump of the force between them: g h.
  const double accepted = testing::gives_way(GetParam())          ? 0.05
                          : make_method(GetParam())->has_memory() ? 9.81 * 2e-3
                                                                  : 1e-6;
  EXPECT_NEAR(report.final_state.v[1], -9.81 * fall, accepted);
  EXPECT_NEAR(held[1], -2 * 9.81, 1e-6);
  EXPECT_LT(report.constraint_error.max, 0.01);
}

TEST_P(EveryMethod, FreeFlightIsExactEnough) {
  System system;
  apply(system, Gravity{});
  system.add(Particle{3, {1, 2, 3}, {1, 5, 0}});
  const RunReport report = run(system, GetParam(), 1e-3, 1);
  EXPECT_NEAR(report.final_state.q[0], 2, 1e-9);
  EXPECT_NEAR(report.final_state.q[1], 2 + 5 - 0.5 * 9.81, 0.006);  // first order: g h/2
  EXPECT_NEAR(report.final_state.v[1], 5 - 9.81, 1e-9);
}

TEST_P(EveryMethod, ConservesMomentumOfInternalConstraints) {
  testing::Random random(5);
  System system;
  const BodyId a = system.add(Particle{1, {0, 0, 0}, {1, 0, 0}});
  const BodyId b = system.add(Particle{2, {1, 0, 0}, {0, 1, 0}});
  RigidBody block = testing::random_rigid_body(random);
  block.position = {2, 0, 0};
  block.orientation = Quat::Identity();
  const BodyId c = system.add(block);
  constrain(system, Distance{a, b, {}});
  constrain(system, Ball{Point(b), Point(c, {-1, 0, 0})});
  const auto momentum = [&](const VecX& v) {
    VecX p;
    system.apply_mass(v, p);
    return Vec3(p.segment<3>(0) + p.segment<3>(3) + p.segment<3>(6));
  };
  const Vec3 before = momentum(system.initial_state().v);
  const RunReport report = run(system, GetParam(), 1e-3, 1);
  EXPECT_EQ(report.status, RunStatus::ok);
  // Sweeps that move one body after the other give each its force alone, and stop before all of
  // them are balanced: how much is left falls with their number (tests/methods/engines_test.cpp).
  const bool moves_one_by_one = GetParam() == "avbd";
  EXPECT_LT((momentum(report.final_state.v) - before).norm(), moves_one_by_one ? 1e-3 : 1e-9);
}

// Redundant rows ----------------------------------------------------------------------------------

TEST_P(EveryMethod, TheSameConstraintTwiceChangesNothing) {
  System once = arm(3, 1), twice = arm(3, 1);
  constrain(twice, Distance{BodyId{0}, BodyId{1}, 1.0}, "again");
  const RunReport a = run(once, GetParam(), 2e-3, 1), b = run(twice, GetParam(), 2e-3, 1);
  EXPECT_EQ(b.status, RunStatus::ok);
  if (testing::gives_way(GetParam())) return;  // two springs are twice as stiff
  EXPECT_EQ(b.cost.regularized_steps, b.steps);
  EXPECT_LT((a.final_state.q - b.final_state.q).norm(), 1e-7);
  EXPECT_NEAR(b.constraint_error.max, a.constraint_error.max, 1e-8);
}

// Five points, all ten distances: rigid, with one distance too many.
TEST_P(EveryMethod, AClosedFrameWithARedundantBar) {
  testing::Random random(4);
  const auto frame = [&](bool redundant) {
    System system;
    apply(system, Gravity{});
    const std::vector<Vec3> corners{
        {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.2, 0.3, 1}, {0.9, 1.1, 0.8}};
    for (const Vec3& corner : corners) system.add(Particle{1, corner, Vec3(0, 0, 1).cross(corner)});
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < i; ++j)
        if (redundant || i != 4 || j != 3) constrain(system, Distance{BodyId{j}, BodyId{i}, {}});
    return system;
  };
  const RunReport plain = run(frame(false), GetParam(), 1e-3, 0.5);
  const RunReport report = run(frame(true), GetParam(), 1e-3, 0.5);
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  EXPECT_LT(report.constraint_error.max, 1.5 * plain.constraint_error.max + 1e-9);
}

// Loaded along itself, a taut line stays where it is, and the load is shared so that the
// multipliers have the smallest norm: λ_i = (links/2 − i − ½) m g, tension above, pressure below.
TEST_P(EveryMethod, ATautLineBetweenTwoPins) {
  for (const int links : {2, 3, 10}) {
    const System system = testing::taut_line(links, 0.5, {9.81, 0, 0});
    VecX lambda;
    const RunReport report =
        run(system, GetParam(), 1e-3, 1, {}, [&](const State&, const VecX& l) { lambda = l; });
    EXPECT_EQ(report.status, RunStatus::ok) << links << ": " << report.reason;
    if (testing::gives_way(GetParam())) continue;
    // Fast projection stops when strain is small enough, after one linear solve here.
    EXPECT_LT(report.constraint_error.max, GetParam() == "fast_projection" ? 1e-9 : 1e-12) << links;
    EXPECT_EQ(report.cost.regularized_steps, report.steps);
    for (int i = 0; i < links; ++i)
      EXPECT_NEAR(lambda[i], (0.5 * links - i - 0.5) * 9.81, 1e-5) << links << ", link " << i;
  }
}

// Loaded across, it must sag to carry, and there is no solution on C = 0 but the straight line. Its
// tension T grows beyond all bounds, and with it √(T/(m l)), the frequency across the line: methods
// that treat it explicitly and do not damp leave their stability limit, and say so.
// What becomes of lines of 2, 3 and 10 links:
const std::map<std::string, std::string> fate_of_lines{
    {"penalty", "ok, ok, ok"},
    {"lagrange", "ok, ok, ok"},
    {"baumgarte", "diverged, diverged, diverged"},
    {"post", "ok, ok, diverged"},
    {"implicit1", "ok, ok, ok"},
    {"implicit2", "ok, diverged, diverged"},
    {"shake", "ok, ok, ok"},
    {"rattle", "ok, ok, diverged"},
    {"rk4_projected", "ok, ok, ok"},
    {"dop853", "diverged, diverged, diverged"},
    {"icd", "ok, ok, ok"},
    {"icd2", "ok, ok, ok"},
    {"energy_momentum", "ok, ok, ok"},
    {"sap", "ok, ok, ok"},
    {"fast_projection", "ok, ok, ok"},
    {"strain_limit_jacobi", "diverged, diverged, diverged"},  // sweeps do not come to an end
    {"strain_limit_gauss_seidel", "diverged, diverged, diverged"},
    {"implicit_springs", "ok, ok, ok"},
    {"sequential_impulse", "ok, ok, ok"},
    {"tgs_soft", "ok, ok, ok"},
    {"generalized_alpha", "ok, ok, ok"},
    {"gear_stabilised", "ok, ok, ok"},
    {"soft_convex", "ok, ok, ok"},
    {"pbd", "ok, ok, ok"},
    {"xpbd", "ok, ok, ok"},
    {"vbd", "ok, ok, ok"},
    {"avbd", "ok, ok, ok"},
    {"projective_dynamics", "ok, ok, ok"},
};
TEST_P(EveryMethod, ATautLineLoadedAcrossIsHeldOrReported) {
  const bool holds_well =
      GetParam() == "implicit1" || GetParam() == "lagrange" || GetParam() == "shake";
  std::string fate;
  for (const int links : {2, 3, 10}) {
    const RunReport report =
        run(testing::taut_line(links, 0.5, {0, -9.81, 0}), GetParam(), 1e-3, 1);
    fate += (fate.empty() ? "" : ", ") + std::string(status_text(report.status));
    if (report.status == RunStatus::ok) {
      EXPECT_LT(report.constraint_error.max, holds_well ? 1e-4 : 0.5) << links;
    }
  }
  const auto expected = fate_of_lines.find(GetParam());
  ASSERT_NE(expected, fate_of_lines.end()) << "a new method: " << fate;
  EXPECT_EQ(fate, expected->second);
}

// Linear solvers ----------------------------------------------------------------------------------

TEST_P(EveryMethod, GivesTheSameWithEveryLinearSolver) {
  const RunReport expected = run(arm(5, 1), GetParam(), 5e-3, 1);
  for (const SolverInfo& solver : linear_solvers()) {
    const RunReport report = run(arm(5, 1), GetParam(), 5e-3, 1, {}, {}, std::string(solver.name));
    EXPECT_LT((report.final_state.q - expected.final_state.q).norm(), 1e-6) << solver.name;
  }
}

// Options -----------------------------------------------------------------------------------------

TEST_P(EveryMethod, TakesEachOfItsOptionsAndNoOther) {
  const MethodInfo& info = find_method(GetParam());
  for (const FieldInfo& option : info.options) {
    const std::string name(option.name);
    // Its default given as text changes nothing, which the motion shows.
    const std::string usual = value_text(option, info.defaults);
    const RunReport plain = run(arm(2, 1), GetParam(), 1e-3, 0.1);
    const RunReport given = run(arm(2, 1), GetParam(), 1e-3, 0.1, {{name, usual}});
    EXPECT_EQ(given.final_state.q, plain.final_state.q) << name << "=" << usual;
    for (const std::string_view choice : option.type->choices) {
      const RunReport report = run(arm(2, 1), GetParam(), 1e-3, 0.1, {{name, std::string(choice)}});
      EXPECT_EQ(report.status, RunStatus::ok) << name << "=" << choice;
    }
    EXPECT_THROW(info.make(std::vector<OptionValue>{{name, "nonsense"}}), Error);
    EXPECT_THROW(info.make(std::vector<OptionValue>{{name, "-nan"}}), Error);
  }
  EXPECT_THROW(info.make(std::vector<OptionValue>{{"no_such_option", "1"}}), Error);
}

TEST(Methods, UnknownNameSuggestsTheNearest) {
  try {
    make_method("implicit_1");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("\"implicit1\""), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace taut
