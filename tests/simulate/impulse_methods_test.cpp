// sequential_impulse and tgs_soft, which solve for contacts, stops and motors in sweeps of their
// own: against closed forms, as far as they go; and what they miss must be told.
#include <gtest/gtest.h>

#include <cmath>

#include "support/builders.hpp"
#include "taut/collision/mass_properties.hpp"
#include "taut/collision/shape_contacts.hpp"
#include "taut/constraints/hinge.hpp"
#include "taut/constraints/limit.hpp"
#include "taut/constraints/motor.hpp"
#include "taut/model/point_contacts.hpp"

namespace taut {
namespace {

constexpr double per_kg = 10;  // gravity, N

class ImpulseMethods : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, ImpulseMethods,
                         ::testing::Values("sequential_impulse", "tgs_soft"),
                         [](const auto& instance) { return instance.param; });

/// Bodies of one shape on the ground z = 0.
struct Ground {
  System system;
  std::unique_ptr<collision::ShapeContacts> contacts = std::make_unique<collision::ShapeContacts>();
  collision::Surface surface;

  explicit Ground(const collision::Surface& of = {}) : surface(of) {
    apply(system, Gravity{{0, 0, -per_kg}});
    contacts->add({world_body, collision::plane(), {}, surface, 0, {}});
  }
  BodyId add(const collision::Shape& shape, const Vec3& position, const Vec3& velocity = {0, 0, 0},
             const Vec3& spin = {0, 0, 0}, double density = 1000) {
    const auto of = collision::mass_properties(shape);
    RigidBody body;
    body.mass = density * of.volume;
    body.inertia = density * of.inertia;
    body.position = position;
    body.velocity = velocity;
    body.angular_velocity = spin;
    const BodyId id = system.add(body);
    contacts->add({id, shape, {}, surface, 0, {}});
    return id;
  }
  RunReport run(const std::string& method, double step, double duration) {
    if (contacts) system.add_contacts(std::move(contacts));
    return testing::run(system, method, step, duration);
  }
};

collision::Surface surface(double friction, double restitution = 0) {
  collision::Surface surface;
  surface.friction = friction;
  surface.restitution = restitution;
  return surface;
}

// Friction is a disc: a box slides as far in every direction, whatever its corners bear.
TEST_P(ImpulseMethods, ABoxSlidesAsFarInAllDirections) {
  for (const double azimuth : {0.0, 0.3, M_PI / 4, 1.2}) {
    Ground ground(surface(0.5));
    const Vec3 along(std::cos(azimuth), std::sin(azimuth), 0);
    ground.add(collision::box({0.1, 0.1, 0.05}), {0, 0, 0.05}, 2 * along);
    const RunReport report = ground.run(GetParam(), 1e-3, 1);
    const double way = 2 * 2 / (2 * 0.5 * per_kg);
    EXPECT_NEAR(report.final_state.q.head<2>().dot(along.head<2>()), way, 0.01 * way) << azimuth;
    EXPECT_LT(report.final_state.v.norm(), 1e-3) << azimuth;
    const double energy = 0.5 * ground.system.mass({0}) * 4;
    EXPECT_NEAR(report.energy.friction, -energy, 0.02 * energy) << azimuth;
  }
}

TEST_P(ImpulseMethods, ABlockSticksBelowTheAngleOfFrictionAndSlidesAbove) {
  for (const double slope : {0.45, 0.55}) {
    System system;
    apply(system, Gravity{{per_kg * std::sin(slope), 0, -per_kg * std::cos(slope)}});
    auto contacts = std::make_unique<PointContacts>();
    contacts->points = {system.add(Particle{2, {0, 0, 0}})};
    contacts->planes = {{Vec3::UnitZ(), 0, std::tan(0.5), 0}};
    system.add_contacts(std::move(contacts));
    const RunReport report = testing::run(system, GetParam(), 1e-3, 1);
    const double slides =
        slope < 0.5 ? 0 : 0.5 * per_kg * (std::sin(slope) - std::tan(0.5) * std::cos(slope));
    EXPECT_NEAR(report.final_state.q[0], slides, 5e-3) << slope;
  }
}

TEST_P(ImpulseMethods, ABallBouncesAsHighAsItsRestitutionTells) {
  Ground ground(surface(0, 0.5));
  ground.add(collision::sphere(0.1), {0, 0, 1.1});
  double highest = 0;
  ground.system.add_contacts(std::move(ground.contacts));
  const RunReport report =
      testing::run(ground.system, GetParam(), 1e-3, 0.8, {}, [&](const State& state, const VecX&) {
        if (state.time > 0.5) highest = std::max(highest, state.q[2]);
      });
  EXPECT_NEAR(highest - 0.1, 0.25, 0.01);
  EXPECT_EQ(report.impacts.count, 1);
  const double energy = ground.system.mass({0}) * per_kg * 1;
  EXPECT_NEAR(report.impacts.energy_change, -0.75 * energy, 0.03 * energy);
}

// It stops after 7 r v² / (10 ρ g).
TEST_P(ImpulseMethods, RollingFrictionStopsABall) {
  const double radius = 0.1, rho = 5e-3, speed = 0.5;
  collision::Surface rough = surface(0.5);
  rough.rolling_friction = rho;
  Ground ground(rough);
  ground.add(collision::sphere(radius), {0, 0, radius}, {speed, 0, 0}, {0, speed / radius, 0});
  const RunReport report = ground.run(GetParam(), 1e-3, 2);
  const double way = 7 * radius * speed * speed / (10 * rho * per_kg) / radius;
  EXPECT_NEAR(report.final_state.q[0], way * radius, 0.03 * way * radius);
  EXPECT_LT(report.final_state.v.norm(), 1e-3);
}

TEST_P(ImpulseMethods, ACompliantBallSinksByItsWeight) {
  collision::Surface soft = surface(0.5);
  soft.compliance = {2000, 100};
  Ground ground(soft);
  ground.add(collision::sphere(0.1), {0, 0, 0.1});
  const RunReport report = ground.run(GetParam(), 1e-3, 3);
  // Two such surfaces are one behind the other.
  EXPECT_NEAR(0.1 - report.final_state.q[2], ground.system.mass({0}) * per_kg / 1000, 1e-5);
  EXPECT_EQ(report.contacts.overlap, 0);  // that is no fault
}

TEST_P(ImpulseMethods, AStackStandsButIsNotTrusted) {
  Ground ground(surface(0.5));
  for (int i = 0; i < 4; ++i) ground.add(collision::box({0.1, 0.1, 0.1}), {0, 0, 0.1 + 0.2 * i});
  const RunReport report = ground.run(GetParam(), 1.0 / 240, 3);
  EXPECT_EQ(report.status, RunStatus::ok);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(report.final_state.q[7 * i + 2], 0.1 + 0.2 * i, 0.01);
    EXPECT_NEAR(report.final_state.q.segment<2>(7 * i).norm(), 0, 0.015);
  }
  EXPECT_GT(report.contacts.overlap, 1e-5);
  EXPECT_FALSE(report.is_trusted());
}

// Far too heavy for so few sweeps: whatever becomes of it, it is not called right.
TEST_P(ImpulseMethods, WhatIsCrushedIsNotTrusted) {
  Ground ground(surface(0.5));
  for (int i = 0; i < 4; ++i)
    ground.add(collision::box({0.1, 0.1, 0.1}), {0, 0, 0.1 + 0.2 * i}, {0, 0, 0}, {0, 0, 0},
               i == 3 ? 1e6 : 1e3);
  const RunReport report = ground.run(GetParam(), 1.0 / 240, 1);
  EXPECT_FALSE(report.status == RunStatus::ok && report.is_trusted());
}

// A long chain needs more sweeps than there are: what they leave adds up, and is told.
TEST_P(ImpulseMethods, WhatSweepsLeaveIsTold) {
  const RunReport report = testing::run(testing::arm(30, 0.1), GetParam(), 0.01, 1);
  EXPECT_GT(report.cost.unconverged_steps, 0.9 * static_cast<double>(report.steps));
  EXPECT_EQ(report.cost.halved_steps, 0);
  EXPECT_FALSE(report.is_trusted());
}

/// A wheel on an axle, with the moment of inertia 2.
Coordinate add_wheel(System& system, double rate = 0) {
  RigidBody wheel;
  wheel.inertia = Vec3(1.5, 1.5, 2).asDiagonal();
  wheel.angular_velocity = {0, 0, rate};
  Hinge hinge;
  hinge.b = system.add(wheel, "wheel");
  constrain(system, hinge, "axle");
  return system.joint_coordinate("axle");
}

// The torque of a motor is an impulse that is clamped.
TEST_P(ImpulseMethods, AMotorExertsItsLargestTorqueUntilItIsAtItsSpeed) {
  System system;
  constrain(system, Motor{add_wheel(system), 3.0, 4.0}, "motor");
  const RunReport early = testing::run(system, GetParam(), 1e-3, 1);
  EXPECT_NEAR(early.final_state.v[5], 2, 1e-2);
  const RunReport late = testing::run(system, GetParam(), 1e-3, 2);
  EXPECT_NEAR(late.final_state.v[5], 3, 1e-6);
}

TEST_P(ImpulseMethods, AStopHolds) {
  System system;
  const Coordinate axle = add_wheel(system, 1);
  constrain(system, Limit{.joint = axle, .lower = -0.2, .upper = 0.5}, "stop");
  const RunReport report = testing::run(system, GetParam(), 1e-3, 2);
  EXPECT_NEAR(2 * std::atan2(report.final_state.q[6], report.final_state.q[3]), 0.5, 1e-3);
  EXPECT_NEAR(report.final_state.v[5], 0, 1e-3);
}

// In free flight angular momentum stays, at any step.
TEST_P(ImpulseMethods, AngularMomentumStays) {
  System system;
  RigidBody body;
  body.inertia = Vec3(1, 2, 3).asDiagonal();
  body.angular_velocity = {1, 3, 0.5};
  system.add(body);
  const auto momentum = [&](const State& state) {
    const Quat turn(state.q[3], state.q[4], state.q[5], state.q[6]);
    return Vec3(turn * Vec3(body.inertia * Vec3(state.v.segment<3>(3))));
  };
  for (const double step : {0.2, 0.01}) {
    const RunReport report = testing::run(system, GetParam(), step, 5);
    EXPECT_LT((momentum(report.final_state) - momentum(system.initial_state())).norm(), 1e-10);
  }
}

// What is joined and touches is solved for together: a pendulum that leans on the ground.
TEST_P(ImpulseMethods, ARodOnAHingeLeansOnTheGround) {
  System system;
  apply(system, Gravity{{0, 0, -per_kg}});
  const double angle = 0.5;  // below the horizontal
  const BodyId end = system.add(Particle{2, {std::cos(angle), 0, 0.2}});
  constrain(system, Distance{world_point(0, 0, std::sin(angle)), end, 1});
  auto contacts = std::make_unique<PointContacts>();
  contacts->points = {end};
  contacts->planes = {{Vec3::UnitZ(), 0, 0, 0}};
  system.add_contacts(std::move(contacts));
  const RunReport report = testing::run(system, GetParam(), 1e-3, 3);
  EXPECT_EQ(report.status, RunStatus::ok) << report.reason;
  EXPECT_NEAR(report.final_state.q[2], 0, 2e-3);
  EXPECT_LT(report.constraint_error.max, 0.02);
}

}  // namespace
}  // namespace taut
