// Each method solves the equations it is named after: checked on random systems of particles, rigid
// bodies and constraints of every type, driven ones included.
#include <gtest/gtest.h>

#include "support/builders.hpp"
#include "support/matrices.hpp"
#include "support/random_scene.hpp"
#include "taut/constraints/knife_edge.hpp"
#include "taut/constraints/limit.hpp"
#include "taut/constraints/motor.hpp"
#include "taut/constraints/rolling.hpp"

namespace taut {
namespace {

using testing::Random;

// Some constraints, of all types in turn, between random anchors, on six moving bodies. Those that
// are not equations, or have rows on velocities, have tests of their own.
System random_system(unsigned seed) {
  Random random(seed);
  System system = testing::random_bodies(random);
  apply(system, Gravity{});
  unsigned number = 0;
  for (const ConstraintInfo& info : constraint_types())
    if (info.type != Limit::type && info.type != Motor::type && info.type != KnifeEdge::type &&
        info.type != Rolling::type && number++ % 4 == seed % 4)
      testing::add_random_constraint(info, system, random);
  return system;
}

struct Rig {
  System system;
  Workspace workspace;
  State before, after;
  StepReport report;

  Rig(unsigned seed, std::string_view method, double h, std::vector<OptionValue> options = {})
      : system(random_system(seed)), workspace(system), before(system.initial_state()) {
    before.time = 0.3;
    after = before;
    report = make_method(method, options)->step(system, h, after, workspace);
  }
  LinearizedRows rows_at(const State& state) {
    LinearizedRows rows;
    rows.resize(workspace.pattern);
    workspace.linearize(system, state.q, state.time, rows);
    workspace.add_bias(system, state.v, state.time, rows);
    return rows;
  }
  VecX J(const LinearizedRows& rows, const VecX& v) {
    VecX out;
    workspace.J(rows, v, out);
    return out;
  }
  // M (v⁺ − v)/h − F + Jᵀλ, which every one-stage method makes zero.
  double momentum_residual(const LinearizedRows& rows, double h) {
    VecX balance, force, F;
    system.apply_mass((after.v - before.v) / h, balance);
    system.forces(Pose(system, before.q), before.v, before.time, F);
    force.resize(F.size());
    multiply_transposed(workspace.pattern, rows.J, workspace.lambda, force);
    return (balance - F + force).norm() / (1 + F.norm() + force.norm());
  }
};

constexpr unsigned tries = 40;

TEST(Equations, Implicit1MeetsTheConstraintsToFirstOrder) {
  int checked = 0;
  for (unsigned seed = 0; seed < tries; ++seed) {
    const double h = 0.01;
    Rig rig(seed, "implicit1", h);
    if (rig.report.regularized) continue;  // a row in the world only, say
    ++checked;
    const LinearizedRows rows = rig.rows_at(rig.before);
    const VecX C = rows.C + h * rows.C_t + h * rig.J(rows, rig.after.v);
    EXPECT_LT(C.norm(), 1e-9 * (1 + rows.C.norm())) << seed;
    EXPECT_LT(rig.momentum_residual(rows, h), 1e-9) << seed;
  }
  EXPECT_GE(checked, 10);
}

// With v^p, q^p those of implicit1 and J^h half way to q^p: C(q^p) + J^h (h (v + v⁺)/2 − h v^p) =
// 0.
TEST(Equations, Implicit2MeetsTheConstraintsExpandedAboutThePredictedEnd) {
  int checked = 0;
  for (unsigned seed = 0; seed < tries; ++seed) {
    const double h = 0.01;
    Rig predicted(seed, "implicit1", h), rig(seed, "implicit2", h);
    if (rig.report.regularized) continue;  // a row in the world only, say
    ++checked;
    State half = rig.before;
    rig.system.advance(rig.before.q, predicted.after.v, 0.5 * h, half.q);
    half.time += 0.5 * h;
    const VecX C = rig.rows_at(predicted.after).C;
    const VecX way = 0.5 * h * (rig.before.v + rig.after.v) - h * predicted.after.v;
    const VecX rest = C + rig.J(rig.rows_at(half), way);
    EXPECT_LT(rest.norm(), 1e-9 * (1 + C.norm())) << seed;
  }
  EXPECT_GE(checked, 10);
}

TEST(Equations, LagrangeMakesTheSecondDerivativeVanish) {
  int checked = 0;
  for (unsigned seed = 0; seed < tries; ++seed) {
    const double h = 0.01;
    Rig rig(seed, "lagrange", h);
    if (rig.report.regularized) continue;  // a row in the world only, say
    ++checked;
    const LinearizedRows rows = rig.rows_at(rig.before);
    const VecX second = rig.J(rows, (rig.after.v - rig.before.v) / h) + rows.bias;
    EXPECT_LT(second.norm(), 1e-8 * (1 + rows.bias.norm())) << seed;
    EXPECT_LT(rig.momentum_residual(rows, h), 1e-9) << seed;
  }
  EXPECT_GE(checked, 10);
}

TEST(Equations, BaumgarteFeedsBackPositionAndVelocity) {
  int checked = 0;
  for (unsigned seed = 0; seed < tries; ++seed) {
    const double h = 0.01, alpha = 3, beta = 7;
    Rig rig(seed, "baumgarte", h, {{"alpha", "3"}, {"beta", "7"}});
    if (rig.report.regularized) continue;  // a row in the world only, say
    ++checked;
    const LinearizedRows rows = rig.rows_at(rig.before);
    const VecX second = rig.J(rows, (rig.after.v - rig.before.v) / h) + rows.bias;
    const VecX first = rig.J(rows, rig.before.v) + rows.C_t;
    const VecX sum = second + 2 * alpha * first + beta * beta * rows.C;
    EXPECT_LT(sum.norm(), 1e-8 * (1 + second.norm())) << seed;
  }
  EXPECT_GE(checked, 10);
}

// From where the lagrange step ends: q ⊕ −P(J)C with P the pseudo-inverse, plain or with the
// masses; the velocity stays.
TEST(Equations, PostMovesOneNewtonStepBack) {
  int checked = 0;
  for (unsigned seed = 0; seed < tries; ++seed) {
    for (const char* projection : {"plain", "mass"}) {
      const double h = 0.01;
      Rig unprojected(seed, "lagrange", h), rig(seed, "post", h, {{"projection", projection}});
      if (rig.report.regularized) continue;  // a row in the world only, say
      ++checked;
      EXPECT_EQ((rig.after.v - unprojected.after.v).norm(), 0) << seed;
      const LinearizedRows rows = rig.rows_at(unprojected.after);
      const int n = rig.system.velocity_size();
      const MatX J = dense_jacobian(rig.workspace.pattern, rows.J, n);
      const bool plain = std::string_view(projection) == "plain";
      const MatX WJt =
          dense_jacobian(rig.workspace.pattern, plain ? rows.J : rows.WJ, n).transpose();
      const VecX move = -WJt * testing::least_squares(J * WJt, rows.C);
      VecX expected;
      rig.system.advance(unprojected.after.q, move, 1, expected);
      EXPECT_LT((rig.after.q - expected).norm(), 1e-8 * (1 + move.norm())) << seed << projection;
    }
  }
  EXPECT_GE(checked, 10);
}

// From a legal state, RATTLE ends in a legal one: position and velocity.
TEST(Equations, RattleEndsOnTheConstraints) {
  const Motion<Vec3> swing = SineMotion<Vec3>{{0, 0, 0}, {0.3, 0.1, 0}, 0.5, 0.4};
  System system;
  apply(system, Gravity{});
  const MotionSample<Vec3> start = swing.at(0);
  const BodyId lead = system.add(Particle{1, start.value, start.rate});
  RigidBody block;
  block.inertia = Vec3(0.1, 0.2, 0.3).asDiagonal();
  block.position = start.value + Vec3(1, 0, 0);
  block.velocity = start.rate;
  const BodyId body = system.add(block);
  constrain(system, Pin{lead, swing});
  constrain(system, Ball{Point(lead), Point(body, {-1, 0, 0})});
  Workspace workspace(system);
  State state = system.initial_state();
  const auto method = make_method("rattle");
  LinearizedRows rows;
  rows.resize(workspace.pattern);
  VecX rate;
  for (int i = 0; i < 500; ++i) {
    ASSERT_EQ(method->step(system, 0.005, state, workspace).status, StepStatus::ok);
    workspace.linearize(system, state.q, state.time, rows);
    workspace.J(rows, state.v, rate);
    EXPECT_LT(rows.C.norm(), 1e-12);
    EXPECT_LT((rate + rows.C_t).norm(), 1e-12);
  }
}

// Halving the step divides the error by 2^order, for a rigid body that turns in space.
double error_of(std::string_view method, double h, std::vector<OptionValue> options,
                const VecX& truth) {
  System system = testing::rod_pendulum(1, 1.0);
  const RunReport report = testing::run(system, method, h, 0.5, std::move(options));
  return (report.final_state.q.head<3>() - truth.head<3>()).norm();
}

TEST(Order, OfTheBasesAndOfTheSecondOrderMethods) {
  const System system = testing::rod_pendulum(1, 1.0);
  const VecX truth = testing::run(system, "lagrange", 1e-4, 0.5, {{"base", "rk4"}}).final_state.q;
  const auto order = [&](std::string_view method, double h, std::vector<OptionValue> options = {}) {
    return std::log2(error_of(method, h, options, truth) /
                     error_of(method, 0.5 * h, options, truth));
  };
  EXPECT_NEAR(order("lagrange", 0.02, {{"base", "rk4"}}), 4, 0.3);
  EXPECT_NEAR(order("lagrange", 0.005, {{"base", "explicit_euler"}}), 1, 0.2);
  EXPECT_NEAR(order("lagrange", 0.005), 1, 0.2);
  EXPECT_NEAR(order("implicit1", 0.005), 1, 0.2);
  EXPECT_NEAR(order("rattle", 0.005), 2, 0.1);
  EXPECT_NEAR(order("implicit2", 0.005, {{"forces", "half"}}), 2, 0.2);
}

}  // namespace
}  // namespace taut
