// Joints in a run: how far they have moved, what they bear, stops beyond a whole turn.
#include <gtest/gtest.h>

#include "support/builders.hpp"
#include "taut/constraints/list.hpp"
#include "taut/forces/list.hpp"

namespace taut {
namespace {

/// A rod of 2 kg and 1 m along x from the origin, held there by a joint.
template <class Joint>
System rod(Joint joint, const Vec3& gravity) {
  System system;
  apply(system, Gravity{gravity});
  RigidBody body;
  body.mass = 2;
  body.inertia = Vec3(0.01, 2.0 / 12, 2.0 / 12).asDiagonal();
  body.position = {0.5, 0, 0};
  // Turned about its own axis, so that its frame is not the world's.
  body.orientation = Quat(Eigen::AngleAxisd(0.7, Vec3::UnitX()));
  joint.b = Point(system.add(body, "rod"));
  joint.at = Vec3(0, 0, 0);
  constrain(system, joint, "joint");
  return system;
}

RunReport simulated(const System& system, double duration, long record_every = 1) {
  RunOptions options;
  options.step = 0.01;
  options.duration = duration;
  options.record_every = record_every;
  options.reactions = true;
  return simulate(system, system.initial_state(), *make_method("icd2"), options);
}

TEST(JointsInARun, ACantileverBearsItsWeightAndItsMoment) {
  const RunReport report = simulated(rod(Weld{}, {0, -9.81, 0}), 0.1);
  ASSERT_EQ(report.joints.size(), 1u);
  EXPECT_LT((report.joints[0].force - Vec3(0, 2 * 9.81, 0)).norm(), 1e-9);
  EXPECT_LT((report.joints[0].torque - Vec3(0, 0, 2 * 9.81 * 0.5)).norm(), 1e-9);
  EXPECT_NEAR(report.joints[0].largest_torque, 9.81, 1e-9);
}

// A hinge about z bears no torque about z, and here the moment of the weight about y.
TEST(JointsInARun, AHingeBearsWhatItDoesNotLetMove) {
  const RunReport report = simulated(rod(Hinge{}, {0, 0, -9.81}), 0.1);
  EXPECT_LT((report.joints[0].force - Vec3(0, 0, 2 * 9.81)).norm(), 1e-9);
  EXPECT_LT((report.joints[0].torque - Vec3(0, -9.81, 0)).norm(), 1e-9);
}

TEST(JointsInARun, WholeTurnsAreCountedHoweverSeldomOneLooks) {
  System system = rod(Hinge{}, Vec3::Zero());
  constrain(system, Drive{{system.joint_coordinate("joint")}, LineMotion<double>{0, 3}});
  const RunReport report = simulated(system, 10, 1000);
  EXPECT_NEAR(report.joints[0].coordinates[0].final, 30, 1e-9);
  EXPECT_NEAR(report.joints[0].coordinates[0].largest, 30, 1e-9);
  EXPECT_NEAR(report.joints[0].coordinates[0].fastest, 3, 1e-9);
}

TEST(JointsInARun, AStopMayBeTurnsAway) {
  for (const double upper : {2.0, 10.0}) {
    System system = rod(Hinge{}, Vec3::Zero());
    const Coordinate joint = system.joint_coordinate("joint");
    apply(system, JointTorque{joint, 2.0});
    constrain(system, Limit{{joint}, -1, upper, 0});
    const RunReport report = simulated(system, 10);
    EXPECT_NEAR(report.joints[0].coordinates[0].final, upper, 1e-9);
    EXPECT_NEAR(report.joints[0].coordinates[0].largest, upper, 1e-9);
    EXPECT_EQ(report.impacts.count, 1);
    // It turns by α = τ/I, so it hits with ½ I ω² = τ θ, and all of that is lost.
    EXPECT_NEAR(report.impacts.energy_change, -2 * upper, 0.02 * upper);
    EXPECT_NEAR(report.reactions[1].final[0], 2, 1e-9);  // the stop bears the torque
  }
}

// A torque −2 cos(ωt) presses the joint on its stop for a quarter of a period and then takes it
// away: θ = (2/I) ((cos ωt)/ω² + (t − t₁)/ω) from t₁ = π/2ω on.
TEST(JointsInARun, AStopPushesAndDoesNotPull) {
  const double w = M_PI / 2, inertia = 2.0 / 3;
  for (const char* method : {"implicit1", "rattle", "icd", "icd2", "energy_momentum", "dop853"}) {
    SCOPED_TRACE(method);
    System system = rod(Hinge{}, Vec3::Zero());
    const Coordinate joint = system.joint_coordinate("joint");
    apply(system, JointTorque{joint, SineMotion<double>{0, -2, w / (2 * M_PI), M_PI / 2}});
    constrain(system, Limit{{joint}, 0, 5, 0});
    RunOptions options;
    options.step = 0.002;
    options.duration = 1.8;
    options.record_every = 10;
    options.record_joints = [&](double t, const std::vector<JointSample>& joints) {
      const double expected = t <= 1 ? 0 : 2 / inertia * (std::cos(w * t) / (w * w) + (t - 1) / w);
      EXPECT_NEAR(joints[0].coordinates[0].value, expected, 3e-3) << t;
      if (t <= 1) EXPECT_NEAR(joints[0].coordinates[0].value, 0, 1e-9) << t;
    };
    const RunReport report =
        simulate(system, system.initial_state(), *make_method(method), options);
    EXPECT_EQ(report.impacts.count, 0);
  }
}

TEST(JointsInARun, AreRecordedWithTheirTimes) {
  const System system = rod(Hinge{}, {0, -9.81, 0});
  RunOptions options;
  options.step = 0.01;
  options.duration = 0.5;
  options.record_every = 10;
  std::vector<double> times, angles;
  options.record_joints = [&](double time, const std::vector<JointSample>& joints) {
    times.push_back(time);
    angles.push_back(joints[0].coordinates[0].value);
    EXPECT_EQ(joints[0].joint->name, "joint");
  };
  simulate(system, system.initial_state(), *make_method("energy_momentum"), options);
  ASSERT_EQ(times.size(), 6u);
  EXPECT_NEAR(times.back(), 0.5, 1e-12);
  EXPECT_EQ(angles.front(), 0);
  EXPECT_LT(angles.back(), -0.5);
}

}  // namespace
}  // namespace taut
