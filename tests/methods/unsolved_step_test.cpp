// A step that Newton's method does not solve says how far off it is, also where there are no
// constraints that would tell.
#include <gtest/gtest.h>

#include "taut/methods/method.hpp"
#include "taut/methods/workspace.hpp"

namespace taut {
namespace {

TEST(UnsolvedStep, HasAResidualWithoutConstraints) {
  System system;
  RigidBody body;
  body.inertia = Vec3(1, 2, 2.9).asDiagonal();
  body.angular_velocity = {412, 286, 7};
  system.add(body);
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

}  // namespace
}  // namespace taut
