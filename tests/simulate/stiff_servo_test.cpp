// Servos and springs that are too stiff for the steps, or saturate within them: the motion, and the
// torques that sensors tell.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "support/servo_rod.hpp"
#include "taut/methods/method.hpp"
#include "taut/sensor/sensor_set.hpp"
#include "taut/simulate/simulation.hpp"
#include "taut/simulate/stepping.hpp"

namespace taut {
namespace {

using testing::follow;
using testing::rod;
using testing::Track;

class EveryStiffServoMethod : public ::testing::TestWithParam<MethodInfo> {
 protected:
  std::string name() const { return std::string(GetParam().name); }
};
INSTANTIATE_TEST_SUITE_P(Methods, EveryStiffServoMethod, ::testing::ValuesIn(methods()),
                         [](const auto& listed) { return std::string(listed.param.name); });

// Gains that no step can resolve: the joint follows as a drive would make it, and the torque is
// what that takes.
TEST_P(EveryStiffServoMethod, FollowsStifflyOrSaysThatItCannot) {
  const Track track = follow(
      rod(R"json("target": {"type": "formula", "value": "=0.3*(1-cos(2*t))"}, "stiffness": 1e8,
              "damping": 1e5)json"),
      name(), 5e-3, 0.5, 10);
  if (!track.is_trusted) return;  // and nobody is told that it is right
  for (std::size_t i = 2; i < track.time.size(); ++i) {
    const double t = track.time[i];
    EXPECT_NEAR(track.angle[i], 0.3 * (1 - std::cos(2 * t)), 1e-3) << t;
    // What the first step set swinging goes on for long under energy_momentum, and in hinges made
    // of springs, and is in the torque.
    const Promises& promises = GetParam().promises;
    const bool rings = promises.forces == Promises::Forces::in_mean || !promises.solves_rows;
    EXPECT_NEAR(track.torque[i], 1.2 * std::cos(2 * t), rings ? 1.5 : 0.15) << t;
  }
}

/// What the motion of the rod took in each step, by its momentum: the mean force on it at the
/// hinge, and the mean torque about that. Rods on hinges made of springs move a little otherwise.
void expect_balance(const Track& at, const Promises& promises) {
  constexpr double g = 9.81, from = 0.1, accepted = 0.15;
  const double accepted_force = promises.solves_rows ? accepted : 0.5;
  int counted = 0;
  const auto angular = [&](std::size_t i) {
    return 0.25 * at.rate[i] + 3 * (at.x[i] * at.vy[i] - at.y[i] * at.vx[i]);
  };
  for (std::size_t i = 1; i < at.time.size(); ++i) {
    if (at.time[i] <= from) continue;
    const double h = at.time[i] - at.time[i - 1];
    const double torque = (angular(i) - angular(i - 1)) / h + 1.5 * g * (at.x[i] + at.x[i - 1]);
    ASSERT_NEAR(at.torque[i], torque, accepted) << at.time[i];
    ASSERT_NEAR(at.fx[i], 3 * (at.vx[i] - at.vx[i - 1]) / h, accepted_force) << at.time[i];
    ASSERT_NEAR(at.fy[i], 3 * (at.vy[i] - at.vy[i - 1]) / h + 3 * g, accepted_force) << at.time[i];
    ++counted;
  }
  EXPECT_GT(counted, 50);
}

// Whatever law a servo has at the ends of steps that do not resolve it: sensors tell the torque
// that moved the rod, and what the hinge bore.
TEST_P(EveryStiffServoMethod, TellsTheTorqueThatActed) {
  std::vector<std::string> all{R"("stiffness": 1e6, "damping": 1e4)",
                               R"("stiffness": 4e4, "damping": 4e2)"};
  if (GetParam().promises.takes_stiff_forces) {
    all.emplace_back(R"("stiffness": 1e8, "damping": 1e5)");
    all.emplace_back(R"("damping": 1e6)");
  }
  for (const std::string& gains : all) {
    SCOPED_TRACE(gains);
    const Track track = follow(
        rod(R"json("target": {"type": "formula", "value": "=0.3*(1-cos(2*t))"}, )json" + gains,
            9.81),
        name(), 5e-3, 0.4, 1, true);
    if (track.is_trusted) expect_balance(track, GetParam().promises);
  }
}

// The same of springs and dampers. (The upright one has a lever of 1 m, and bears the rod as long
// as that hardly moves.)
TEST_P(EveryStiffServoMethod, TellsWhatAStiffSpringExerted) {
  for (const char* spring :
       {R"("type": "joint_spring", "joint": "joint", "stiffness": 1e8, "damping": 1e4)",
        R"("type": "joint_spring", "joint": "joint", "stiffness": 4e4, "damping": 4e2)",
        R"("type": "spring", "a": [1, 1, 0], "b": {"body": "rod", "at": [0.5, 0, 0]}, "length": 1,
           "stiffness": 1e8, "damping": 1e4)"}) {
    const io::Scene scene =
        testing::held_rod(R"({"name": "servo", )" + std::string(spring) + "}", 9.81);
    const Track track = follow(scene, name(), 5e-3, 0.5, 1, true);
    if (!track.is_trusted) continue;
    SCOPED_TRACE(spring);
    for (std::size_t i = 0; i < track.time.size(); ++i) ASSERT_NEAR(track.angle[i], 0, 2e-3);
    // The spring by itself pushes the rod aside, too.
    if (std::string(spring).find("joint_spring") != std::string::npos)
      expect_balance(track, GetParam().promises);
    else
      for (std::size_t i = 20; i < track.time.size(); ++i)
        ASSERT_NEAR(track.torque[i], (track.rate[i] - track.rate[i - 1]) / 5e-3 + 14.715, 0.15)
            << track.time[i];
  }
}

// A stiff servo with a bound: on to the target with all it has, and there it stays.
TEST_P(EveryStiffServoMethod, ArrivesStifflyFromSaturationOrSaysThatItCannot) {
  const Track track = follow(rod(R"("target": 0.5, "stiffness": 1e7, "damping": 2e6, "max": 3)"),
                             name(), 2e-3, 2, 1);
  if (!track.is_trusted) return;
  for (std::size_t i = 0; i < track.time.size(); ++i) {
    EXPECT_LE(std::abs(track.torque[i]), 3);
    EXPECT_LE(track.angle[i], 0.5 + 1e-2);
  }
  EXPECT_NEAR(track.angle.back(), 0.5, 1e-2);
  EXPECT_NEAR(track.rate.back(), 0, 1e-2);
}

// A stiff servo that saturates is solved for, not tried in parts: Newton's method finds the narrow
// place where its torque is between the bounds.
TEST(StiffServo, IsSolvedForWhereItSaturatesWithinAStep) {
  const io::Scene scene = rod(R"("target": 0.5, "stiffness": 1e7, "damping": 2e6, "max": 3)");
  for (const char* name :
       {"icd", "icd2", "energy_momentum", "generalized_alpha", "gear_stabilised"}) {
    RunOptions options;
    options.step = 2e-3;
    options.duration = 2;
    const RunReport report =
        simulate(scene.system, scene.system.initial_state(), *make_method(name), options);
    EXPECT_EQ(report.cost.unconverged_steps, 0) << name;
    EXPECT_EQ(report.cost.halved_steps, 0) << name;
    EXPECT_LT(report.cost.iterations, 5 * report.steps) << name;
  }
}

// Nothing but full torque, one way and the other: 3 rad/s² to the target in √(2·0.5/3) s, and back.
TEST(StiffServo, GoesToAndFroAtFullTorque) {
  const io::Scene scene = rod(R"("target": 0.5, "stiffness": 1e9, "max": 3)");
  const double quarter = std::sqrt(1.0 / 3);
  const auto exact = [&](double t) {
    const double s = std::fmod(t, 4 * quarter);
    const double half = std::fmod(s, 2 * quarter);
    const double x =
        half < quarter ? 1.5 * half * half : 1 - 1.5 * (2 * quarter - half) * (2 * quarter - half);
    return s < 2 * quarter ? x : 1 - x;
  };
  const std::map<std::string, double> errors{
      {"energy_momentum", 1e-4}, {"rattle", 1e-3}, {"dop853", 1e-3},
      {"implicit1", 1e-2},       {"icd2", 1e-2},   {"icd", 2e-2}};
  for (const auto& [name, error] : errors) {
    const Track track = follow(scene, name, 2e-3, 2);
    ASSERT_EQ(track.time.size(), 1001u);
    for (std::size_t i = 0; i < track.time.size(); ++i)
      ASSERT_NEAR(track.angle[i], exact(track.time[i]), error) << name << " at " << track.time[i];
  }
}

// Without damping it is a spring, saturated or not: the energy stays, to round-off.
TEST(StiffServo, ConservesEnergyThroughSaturation) {
  const io::Scene scene = rod(R"("target": 0.2, "stiffness": 400, "max": 25)", 9.81);
  EXPECT_TRUE(scene.system.is_conservative());
  const Track track = follow(scene, "energy_momentum", 5e-3, 5);
  double saturated = 0;
  for (std::size_t i = 0; i < track.time.size(); ++i) {
    EXPECT_NEAR(track.energy[i], track.energy[0], 1e-9) << track.time[i];
    saturated += std::abs(track.saturation[i]);
  }
  EXPECT_GT(saturated, 100);
  EXPECT_LT(saturated, 1000);
}

// A method that knows no derivatives does what it can in parts, and else says which servo it was.
TEST(StiffServo, TooStiffForAMethodIsSaidByName) {
  for (const char* name : {"rattle", "implicit1", "rk4_projected", "dop853", "lagrange"}) {
    const io::Scene scene = rod(R"("target": 0.1, "stiffness": 1e13)");
    RunOptions options;
    options.step = 1e-2;
    options.duration = 1;
    const RunReport report =
        simulate(scene.system, scene.system.initial_state(), *make_method(name), options);
    EXPECT_EQ(report.status, RunStatus::diverged) << name;
    EXPECT_NE(report.reason.find("servo is too stiff"), std::string::npos) << report.reason;
    EXPECT_EQ(report.diverged_at_step, 1) << name;
  }
}

}  // namespace
}  // namespace taut
