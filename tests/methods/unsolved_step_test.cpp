// A step that Newton's method does not solve says how far off it is, also where there are no
// constraints that would tell.
#include <gtest/gtest.h>

#include "support/builders.hpp"
#include "support/messages.hpp"
#include "taut/constraints/ball.hpp"
#include "taut/methods/method.hpp"
#include "taut/methods/workspace.hpp"

namespace taut {
namespace {

/// A body that spins faster than a step can follow.
BodyId add_spinning(System& system) {
  RigidBody body;
  body.inertia = Vec3(1, 2, 2.9).asDiagonal();
  body.angular_velocity = {412, 286, 7};
  return system.add(body);
}

TEST(UnsolvedStep, HasAResidualWithoutConstraints) {
  System system;
  add_spinning(system);
  int unsolved = 0;
  for (const char* name : {"energy_momentum", "icd", "icd2"})
    for (const double h : {1e-3, 5e-3, 0.014, 0.03}) {
      const auto method = make_method(name);
      Workspace w(system);
      State state = system.initial_state();
      const StepReport report = method->step(system, h, state, w);
      if (report.status == StepStatus::ok) continue;
      ++unsolved;
      EXPECT_GT(report.residual, 1e-6) << name << ", h = " << h;
    }
  EXPECT_GT(unsolved, 0);
}

// Its centre is held, which is no trouble; how it turns is not found.
TEST(UnsolvedStep, IsToldWhereTheConstraintsHold) {
  System system;
  constrain(system, Ball{world_point(0, 0, 0), Point(add_spinning(system))});
  int unsolved = 0;
  for (const char* name : {"energy_momentum", "icd", "icd2"})
    for (const double h : {1e-3, 5e-3, 0.014, 0.03}) {
      const auto method = make_method(name);
      Workspace w(system);
      State state = system.initial_state();
      const StepReport report = method->step(system, h, state, w);
      EXPECT_EQ(report.status != StepStatus::ok, report.unsolved > 0) << name << ", h = " << h;
      if (report.status == StepStatus::ok) continue;
      ++unsolved;
      EXPECT_GT(report.unsolved, 1e-6) << name << ", h = " << h;
      EXPECT_LT(report.residual, 1e-9) << name << ", h = " << h;
      RunOptions options;
      options.step = h;
      options.duration = h;
      options.max_halvings = 0;
      const RunReport run = simulate(system, system.initial_state(), *make_method(name), options);
      EXPECT_EQ(run.status, RunStatus::ok) << run.reason;
      std::string doubts;
      for (const std::string& doubt : run.doubts) doubts += doubt;
      EXPECT_TRUE(testing::has_all(doubts, "1 of 1 steps|not solved|motion")) << doubts;
    }
  EXPECT_GT(unsolved, 0);
}

}  // namespace
}  // namespace taut
