// The reference that random mechanisms are compared with, against closed forms.
#include "support/mechanism_reference.hpp"

#include <gtest/gtest.h>

#include "taut/reference/planar_pendulum.hpp"

namespace taut::testing {
namespace {

Mechanism block_on_rail(double gravity) {
  Mechanism m;
  m.bodies.emplace_back();
  m.gravity = {gravity, 0, 0};
  Mechanism::Joint rail;
  rail.type = Mechanism::JointType::slider;
  rail.axis = Vec3::UnitX();
  m.joints.push_back(rail);
  return m;
}

double end_of_block(const Mechanism& m, double speed) {
  const TrueMotion motion = true_motion(m, VecX::Constant(1, speed), 1);
  EXPECT_TRUE(motion.found) << motion.trouble;
  return motion.found ? motion.poses.back()[0].place[0] : NAN;
}

// Falls 1/2 in the first second, then bounces with half its speed, 1/2, for one second more.
TEST(MechanismReference, BouncesOffAStop) {
  Mechanism m = block_on_rail(-1);
  m.stops.push_back({0, -0.5, 1e300, 0.5});
  m.duration = 1.5;
  EXPECT_NEAR(end_of_block(m, 0), -0.5 + 0.5 * 0.5 - 0.5 * 0.25, 1e-12);
  m.duration = 2.25;  // a quarter of a second after the second impact
  EXPECT_NEAR(end_of_block(m, 0), -0.5 + 0.25 * 0.25 - 0.5 * 0.0625, 1e-12);
  m.duration = 4;  // bounces end after 1 + 2 (1/2 + 1/4 + …) = 3 s
  EXPECT_NEAR(end_of_block(m, 0), -0.5, 1e-9);
}

// Thrown up at a stop from below, it would turn round just behind it: it hits it and is back within
// a step of the reference.
TEST(MechanismReference, SeesATouchBetweenTwoSteps) {
  Mechanism m = block_on_rail(1);
  constexpr double speed = 0.01, reach = 4.5e-5, restitution = 0.5;
  m.stops.push_back({0, -reach, 1e300, restitution});
  m.duration = 1;
  const double hit = std::sqrt(speed * speed - 2 * reach), rest = 1 - (speed - hit);
  EXPECT_NEAR(end_of_block(m, -speed), -reach + restitution * hit * rest + 0.5 * rest * rest,
              1e-11);
}

// A motor of force 2 brings mass 1 to speed 3 in 1.5 s, against nothing.
TEST(MechanismReference, MotorReachesItsSpeed) {
  Mechanism m = block_on_rail(0);
  m.motors.push_back({0, 3, 2});
  m.duration = 2;
  EXPECT_NEAR(end_of_block(m, 0), 0.5 * 2 * 1.5 * 1.5 + 3 * 0.5, 1e-12);
}

// Friction 1 stops a block at speed 2 after 2 m, and holds it against a force of 0.9.
TEST(MechanismReference, FrictionStopsAndHolds) {
  Mechanism m = block_on_rail(0);
  m.motors.push_back({0, 0, 1});
  m.duration = 3;
  EXPECT_NEAR(end_of_block(m, 2), 2, 1e-12);
  m.gravity = {0.9, 0, 0};
  EXPECT_NEAR(end_of_block(m, 0), 0, 1e-12);
  m.gravity = {1.5, 0, 0};
  EXPECT_NEAR(end_of_block(m, 0), 0.5 * 0.5 * 9, 1e-12);
}

// A bob falls straight down past the point its string is fixed at, then hangs.
TEST(MechanismReference, StringHoldsWhatFalls) {
  Mechanism m;
  Mechanism::Body bob;
  bob.rigid = false;
  bob.place = {0, -0.5, 0};
  m.bodies.push_back(bob);
  m.gravity = {0, -9.81, 0};
  Mechanism::Rod string{{Mechanism::world, Vec3::Zero()}, {0, bob.place}, 1.0, true, false};
  m.rods.push_back(string);
  m.duration = 0.3;  // √(2·0.5/9.81) = 0.319 s until it is taut
  TrueMotion motion = true_motion(m, VecX::Zero(3), 1);
  ASSERT_TRUE(motion.found) << motion.trouble;
  EXPECT_NEAR(motion.poses[0][0].place[1], -0.5 - 0.5 * 9.81 * 0.09, 1e-12);
  m.duration = 1;
  motion = true_motion(m, VecX::Zero(3), 1);
  ASSERT_TRUE(motion.found) << motion.trouble;
  EXPECT_NEAR(motion.poses[0][0].place[1], -1, 1e-11);
  EXPECT_EQ(motion.events, 1);
}

// Rods between particles are rows here; the other reference has angles.
TEST(MechanismReference, DoublePendulumOfParticles) {
  Mechanism m;
  Vec3 from = Vec3::Zero();
  for (int i = 0; i < 2; ++i) {
    Mechanism::Body bob;
    bob.rigid = false;
    bob.place = from + Vec3::UnitX();
    m.bodies.push_back(bob);
    m.rods.push_back({{i - 1, from}, {i, bob.place}});
    from = bob.place;
  }
  m.gravity = {0, -9.81, 0};
  m.duration = 1.5;
  const TrueMotion motion = true_motion(m, VecX::Zero(6), 1);
  ASSERT_TRUE(motion.found) << motion.trouble;
  EXPECT_LT(motion.energy_error, 1e-10);
  reference::PlanarPendulum angles({{1, 1}, {1, 1}, {M_PI / 2, M_PI / 2}, {}, 9.81, Vec3::Zero()});
  angles.advance_to(1.5);
  EXPECT_NEAR(motion.poses[0][1].place[1], angles.position(1)[1], 1e-9);
}

}  // namespace
}  // namespace taut::testing
