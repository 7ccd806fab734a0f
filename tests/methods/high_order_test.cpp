// The explicit methods of high order, against the pendulum in its angle.
#include <gtest/gtest.h>

#include "support/builders.hpp"
#include "taut/methods/projection.hpp"
#include "taut/reference/planar_pendulum.hpp"

namespace taut {
namespace {

using testing::arm;
using testing::run;

struct Errors {
  double q, v;
};

// Of a pendulum released horizontally.
Errors pendulum_errors(std::string_view method, double h, double duration) {
  const State end = run(arm(1, 1), method, h, duration).final_state;
  reference::PlanarPendulum truth({{1}, {1}, {M_PI / 2}, {}, 9.81, Vec3::Zero()});
  truth.advance_to(end.time);
  return {(end.q - truth.position(0)).norm(), (end.v - truth.velocity(0)).norm()};
}

// Over steps from h to h/4.
Errors measured_order(std::string_view method, double h, double duration) {
  const Errors coarse = pendulum_errors(method, h, duration);
  const Errors fine = pendulum_errors(method, 0.25 * h, duration);
  return {0.5 * std::log2(coarse.q / fine.q), 0.5 * std::log2(coarse.v / fine.v)};
}

TEST(Rk4Projected, IsOfOrderFour) {
  const Errors order = measured_order("rk4_projected", 0.02, 2);
  EXPECT_NEAR(order.q, 4, 0.2);
  EXPECT_NEAR(order.v, 4, 0.2);
}

TEST(Dop853, IsOfOrderEight) {
  const Errors order = measured_order("dop853", 0.1, 2);
  RecordProperty("positions", std::to_string(order.q));
  RecordProperty("velocities", std::to_string(order.v));
  EXPECT_GT(order.q, 7.5);
  EXPECT_GT(order.v, 7.5);
  EXPECT_LT(order.q, 9.5);
}

double two_link_deviation(std::string_view method, double h) {
  RunOptions options;
  options.step = h;
  options.duration = 10;
  options.reference =
      ReferenceTrack{"node2", Point(BodyId{1}), 1, 10,
                     reference::coordinate_track(
                         {{1, 1}, {10, 10}, {M_PI / 2, M_PI / 2}, {}, 9.81, {0, 0, 0}}, 1, 1)};
  const System system = arm(2, 10);
  return simulate(system, system.initial_state(), *make_method(method), options)
      .reference_deviation->max;
}

TEST(Rk4Projected, TracksTheTwoLinkArm) {
  EXPECT_NEAR(two_link_deviation("rk4_projected", 0.05), 8.5e-5, 1e-5);
  EXPECT_NEAR(two_link_deviation("rk4_projected", 0.01), 1.4e-7, 0.3e-7);
}

TEST(Dop853, TracksTheTwoLinkArm) {
  EXPECT_LT(two_link_deviation("dop853", 0.1), 1e-6);
  EXPECT_LT(two_link_deviation("dop853", 0.05), 5e-9);
}

// Rigid bodies: the turning ones too keep the order, and the constraints hold to round-off.
TEST(HighOrder, RigidBodiesKeepOrderAndConstraints) {
  System system = testing::rod_pendulum(1, 1.0);
  const auto end = [&](std::string_view method, double h) {
    return run(system, method, h, 0.8).final_state.q;
  };
  const VecX truth = end("dop853", 0.01);
  const auto order = [&](std::string_view method, double h) {
    return std::log2((end(method, h) - truth).norm() / (end(method, 0.5 * h) - truth).norm());
  };
  EXPECT_NEAR(order("rk4_projected", 0.02), 4, 0.3);
  EXPECT_GT(order("dop853", 0.1), 7.3);
  for (const char* method : {"rk4_projected", "dop853"})
    EXPECT_LT(run(system, method, 0.05, 2).constraint_error.max, 1e-12) << method;
}

// The largest error of dense output within one step.
double dense_error(double h) {
  const System system = arm(1, 1);
  State state = system.initial_state(), between;
  Workspace workspace(system);
  const auto method = make_method("dop853");
  for (double t = 0; t < 0.8 - 1e-9; t += h) method->step(system, h, state, workspace);
  reference::PlanarPendulum truth({{1}, {1}, {M_PI / 2}, {}, 9.81, Vec3::Zero()});
  double worst = 0;
  for (const double s : {0.1, 0.3, 0.5, 0.7, 0.9}) {
    const double time = state.time - (1 - s) * h;
    EXPECT_TRUE(method->interpolate(system, time, between));
    EXPECT_DOUBLE_EQ(between.time, time);
    truth.advance_to(time);
    worst = std::max(
        {worst, (between.q - truth.position(0)).norm(), (between.v - truth.velocity(0)).norm()});
  }
  return worst;
}

TEST(Dop853, DenseOutputIsOfOrderSeven) {
  const double order = std::log2(dense_error(0.2) / dense_error(0.1));
  RecordProperty("order", std::to_string(order));
  EXPECT_GT(order, 7);
}

TEST(Dop853, EstimatesItsErrorWithoutHidingIt) {
  const System system = arm(2, 1);
  const auto estimate = [&](double h) {
    State state = system.initial_state();
    Workspace workspace(system);
    EXPECT_TRUE(make_method("dop853")->step(system, h, state, workspace).has_estimate);
    return std::max(workspace.error_q.norm(), workspace.error_v.norm());
  };
  EXPECT_GT(estimate(0.1), 0);
  EXPECT_NEAR(std::log2(estimate(0.1) / estimate(0.05)), 8, 1);
}

// Asking for dense output, or repeating a step, changes nothing.
TEST(Dop853, RemembersOnlyWhatIsTrue) {
  const System system = testing::rod_pendulum(1, 1.0);
  const auto end = [&](bool ask) {
    State state = system.initial_state(), other;
    Workspace workspace(system);
    const auto method = make_method("dop853");
    for (int i = 0; i < 10; ++i) {
      if (ask) {
        other = state;
        method->step(system, 0.07, other, workspace);
      }
      method->step(system, 0.05, state, workspace);
      if (ask) method->interpolate(system, state.time - 0.02, other);
    }
    return state.q;
  };
  EXPECT_LT((end(true) - end(false)).norm(), 1e-15);
}

// Projections -------------------------------------------------------------------------------------

TEST(Projection, OfPositionIsTheNearestLegalOneInTheSenseOfM) {
  System system;
  const BodyId heavy = system.add(Particle{9, {0, 0, 0}}),
               light = system.add(Particle{1, {2, 0, 0}});
  constrain(system, Distance{heavy, light, 1.0});
  Workspace workspace(system);
  State state = system.initial_state();
  StepReport report;
  project_position(system, 0, state.q, workspace, report);
  EXPECT_EQ(report.status, StepStatus::ok);
  EXPECT_LT(report.residual, 1e-12);
  EXPECT_NEAR(state.q[0], 0.1, 1e-12);  // the centre of mass stays at 0.2
  EXPECT_NEAR(state.q[3], 1.1, 1e-12);
}

TEST(Projection, OfConflictingConstraintsIsACompromise) {
  System system;
  const BodyId a = system.add(Particle{1, {0, 0, 0}}), b = system.add(Particle{1, {1, 0, 0}});
  constrain(system, Pin{a, Vec3(0, 0, 0)});
  constrain(system, Pin{b, Vec3(1, 0, 0)});
  constrain(system, Distance{a, b, 0.9});
  Workspace workspace(system);
  State state = system.initial_state();
  StepReport report;
  project_position(system, 0, state.q, workspace, report);
  EXPECT_EQ(report.status, StepStatus::compromise);
  // Least squares: x² + x² + (1 − 2x − 0.9)² is smallest at x = 0.1/3.
  EXPECT_NEAR(state.q[0], 0.1 / 3, 1e-6);
  EXPECT_NEAR(state.q[3], 1 - 0.1 / 3, 1e-6);
}

TEST(Projection, OfVelocityKeepsWhatIsAllowed) {
  const System system = arm(1, 1);
  Workspace workspace(system);
  State state = system.initial_state();
  state.v << 3, 4, 5;
  StepReport report;
  project_velocity(system, 0, state.q, state.v, workspace, report);
  EXPECT_LT((state.v - VecX(Vec3(0, 4, 5))).norm(), 1e-15);
}

// Reactions ---------------------------------------------------------------------------------------

TEST(Reactions, OfAHangingChainAreTheWeightsBelow) {
  System system;
  apply(system, Gravity{});
  Point last = world_point(0, 0, 0);
  for (int i = 1; i <= 5; ++i) {
    const Point next = system.add(Particle{2, {0, -0.3 * i, 0}});
    constrain(system, Distance{last, next, 0.3});
    last = next;
  }
  Workspace workspace(system);
  VecX lambda;
  StepReport report;
  reactions(system, system.initial_state(), workspace, lambda, report);
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(lambda[i], (5 - i) * 2 * 9.81, 1e-11);
}

// T = 3 m g cos θ for a pendulum released horizontally, θ from straight down.
TEST(Reactions, OfAPendulumConvergeAtTheMethodsOrder) {
  const auto error = [](std::string_view method, double h) {
    double worst = 0;
    run(arm(1, 1), method, h, 1, {}, [&](const State& state, const VecX& lambda) {
      reference::PlanarPendulum truth({{1}, {1}, {M_PI / 2}, {}, 9.81, Vec3::Zero()});
      truth.advance_to(state.time);
      worst = std::max(worst, std::abs(lambda[0] + 3 * 9.81 * truth.position(0).y()));
    });
    return worst;
  };
  EXPECT_NEAR(std::log2(error("implicit1", 0.01) / error("implicit1", 0.005)), 1, 0.2);
  EXPECT_NEAR(std::log2(error("rattle", 0.01) / error("rattle", 0.005)), 2, 0.2);
  EXPECT_NEAR(std::log2(error("rk4_projected", 0.02) / error("rk4_projected", 0.01)), 4, 0.4);
  EXPECT_LT(error("dop853", 0.05), 1e-9);
}

}  // namespace
}  // namespace taut
