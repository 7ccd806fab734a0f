#include "taut/model/system.hpp"

#include <gtest/gtest.h>

#include "support/builders.hpp"
#include "support/random_scene.hpp"
#include "taut/base/error.hpp"
#include "taut/forces/list.hpp"

namespace taut {
namespace {

using testing::Random;

TEST(System, RefusesWhatCannotMove) {
  System system;
  EXPECT_THROW(system.add(Particle{0}), Error);
  EXPECT_THROW(system.add(Particle{-1}), Error);
  EXPECT_THROW(system.add(Particle{NAN}), Error);
  EXPECT_THROW(system.add(Particle{1, {INFINITY, 0, 0}}), Error);
  RigidBody flat;
  flat.inertia = Vec3(1, 1, 0).asDiagonal();
  EXPECT_THROW(system.add(flat), Error);
  RigidBody skewed;
  skewed.inertia(0, 1) = 0.5;
  EXPECT_THROW(system.add(skewed), Error);
  // No principal moment exceeds the sum of the other two, whichever way the body is turned.
  const Mat3 turn = Quat(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized())).toRotationMatrix();
  for (const Mat3& R : {Mat3(Mat3::Identity()), turn}) {
    RigidBody impossible;
    impossible.inertia = R * Vec3(5, 0.1, 0.1).asDiagonal() * R.transpose();
    EXPECT_THROW(system.add(impossible), Error);
    impossible.inertia = R * Vec3(1, 1, 2.1).asDiagonal() * R.transpose();
    EXPECT_THROW(system.add(impossible), Error);
  }
  EXPECT_EQ(system.body_count(), 0);
  system.add(Particle{}, "a");
  EXPECT_THROW(system.add(Particle{}, "a"), Error);
}

TEST(System, AcceptsPlatesAndWhatWasRounded) {
  System system;
  const Mat3 turn = Quat(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized())).toRotationMatrix();
  for (const Vec3& moments : {Vec3(1, 2, 3), Vec3(0.083, 0.083, 0.167), Vec3(1e-9, 2e-9, 3e-9)}) {
    RigidBody plate;
    plate.inertia = moments.asDiagonal();
    system.add(plate);
    plate.inertia = turn * plate.inertia * turn.transpose();
    system.add(plate);
  }
  EXPECT_EQ(system.body_count(), 6);
}

TEST(System, BodiesAreFoundByName) {
  System system;
  const BodyId a = system.add(Particle{}, "a");
  EXPECT_EQ(system.find_body("a"), a);
  EXPECT_EQ(system.find_body("b"), std::nullopt);
  EXPECT_EQ(system.body_name(system.add(Particle{})), "body1");
}

TEST(System, InverseMassInvertsMass) {
  Random random(1);
  const System system = testing::random_bodies(random);
  const VecX v = random.vector_of(system.velocity_size());
  VecX f, back;
  system.apply_mass(v, f);
  system.apply_inverse_mass(f, back);
  EXPECT_LT((back - v).norm(), 1e-12);
  EXPECT_NEAR(system.kinetic_energy(v), 0.5 * v.dot(f), 1e-12);
  system.apply_inverse_mass(f, f);  // in place
  EXPECT_LT((f - v).norm(), 1e-12);
}

TEST(System, AdvanceGoesBackTheWayItCame) {
  Random random(2);
  const System system = testing::random_bodies(random);
  const State start = system.initial_state();
  VecX there, back;
  system.advance(start.q, start.v, 0.7, there);
  system.advance(there, start.v, -0.7, back);
  EXPECT_LT((back - start.q).norm(), 1e-14);
}

TEST(System, AdvanceHasTheVelocityAsDerivative) {
  Random random(3);
  const System system = testing::random_bodies(random);
  const State start = system.initial_state();
  const double e = 1e-6;
  VecX rate, ahead, behind;
  system.position_rate(start.q, start.v, rate);
  system.advance(start.q, start.v, e, ahead);
  system.advance(start.q, start.v, -e, behind);
  EXPECT_LT(((ahead - behind) / (2 * e) - rate).norm(), 1e-9);
  // tiny turns go through the series
  system.advance(start.q, 1e-9 * start.v, 1, ahead);
  EXPECT_LT(((ahead - start.q) * 1e9 - rate).norm(), 1e-5);
}

TEST(System, APoseMovesAnchorsAsTheirVelocitiesSay) {
  Random random(4);
  const System system = testing::random_bodies(random);
  const State start = system.initial_state();
  const double e = 1e-5;
  VecX ahead, behind;
  system.advance(start.q, start.v, e, ahead);
  system.advance(start.q, start.v, -e, behind);
  const Pose now(system, start.q), later(system, ahead), earlier(system, behind);
  for (int i = 0; i < system.body_count(); ++i) {
    for (const Anchor& anchor : {Anchor(Point(BodyId{i}, random.vector())),
                                 Anchor(Direction{BodyId{i}, random.vector()})}) {
      if (anchor.is_direction && !system.is_rigid({i})) continue;
      const Vec3 rate = (later.at(anchor) - earlier.at(anchor)) / (2 * e);
      EXPECT_LT((rate - now.velocity(anchor, start.v)).norm(), 1e-8);
      const Vec3 second = (later.at(anchor) - 2 * now.at(anchor) + earlier.at(anchor)) / (e * e);
      EXPECT_LT((second - now.centripetal(anchor, start.v)).norm(), 1e-4);
      EXPECT_LT((system.initial_place(anchor) - now.at(anchor)).norm(), 1e-14);
    }
  }
}

// Every force that has a potential is minus its gradient.
TEST(Forces, AreTheGradientOfTheirPotential) {
  Random random(5);
  System system = testing::random_bodies(random);
  apply(system, Gravity{{1, -9, 2}});
  apply(system, PointForce{Point(BodyId{1}, {0.1, 0.2, 0.3}), Vec3(1, 2, 3)});
  apply(system, Spring{Point(BodyId{0}), Point(BodyId{3}, {0.5, 0, 0}), 20, 0, 0.7});
  apply(system, Spring{world_point(1, 1, 1), Point(BodyId{5}, {0, 0.5, 0.1}), 5, 0, 0});
  ASSERT_TRUE(system.is_conservative());
  const State start = system.initial_state();
  const VecX at_rest = VecX::Zero(system.velocity_size());
  VecX F;
  system.forces(Pose(system, start.q), at_rest, 0, F);
  const double e = 1e-6;
  for (int i = 0; i < system.velocity_size(); ++i) {
    const VecX unit = VecX::Unit(system.velocity_size(), i);
    VecX ahead, behind;
    system.advance(start.q, unit, e, ahead);
    system.advance(start.q, unit, -e, behind);
    const double slope = (system.potential_energy(Pose(system, ahead)) -
                          system.potential_energy(Pose(system, behind))) /
                         (2 * e);
    EXPECT_NEAR(F[i], -slope, 1e-7 * (1 + std::abs(slope))) << i;
  }
}

TEST(Forces, DragAndDampersTakeEnergy) {
  Random random(6);
  System system = testing::random_bodies(random);
  apply(system, Drag{{}, 0.3, 0.2, 0.1});
  apply(system, Spring{Point(BodyId{0}), Point(BodyId{3}, {0.5, 0, 0}), 0, 2, 0});
  EXPECT_FALSE(system.is_conservative());
  const State start = system.initial_state();
  VecX F;
  system.forces(Pose(system, start.q), start.v, 0, F);
  EXPECT_LT(F.dot(start.v), 0);
}

TEST(Forces, ATorqueTurnsABody) {
  System system;
  RigidBody wheel;
  wheel.inertia = Vec3(1, 2, 3).asDiagonal();
  const BodyId body = system.add(wheel);
  apply(system, BodyTorque{body, Vec3(0, 0, 6)});
  const RunReport report = testing::run(system, "rattle", 1e-3, 1);
  EXPECT_NEAR(report.final_state.v[5], 2, 1e-9);
}

// A symmetric top without torque: the symmetry axis turns about the angular momentum with the rate
// |H|/I₁, and the angular momentum and energy stay.
TEST(RigidBody, TorqueFreeSymmetricTopPrecesses) {
  System system;
  RigidBody top;
  top.inertia = Vec3(1, 1, 1.8).asDiagonal();
  top.angular_velocity = {0.6, 0, 3};
  system.add(top);
  const Vec3 H = top.inertia * top.angular_velocity;  // in the world: it starts unturned
  const double rate = H.norm() / 1.0;
  const double duration = 2 * M_PI / rate;
  const RunReport report = testing::run(system, "rattle", duration / 4000, duration);
  const VecX& q = report.final_state.q;
  const Quat turn(q[3], q[4], q[5], q[6]);
  EXPECT_LT((turn * Vec3::UnitZ() - Vec3::UnitZ()).norm(), 1e-5);
  const Vec3 w = report.final_state.v.segment<3>(3);
  EXPECT_LT((turn * (top.inertia * w) - H).norm(), 1e-5);
  EXPECT_NEAR(report.energy.final, report.energy.initial, 1e-5);
}

}  // namespace
}  // namespace taut
