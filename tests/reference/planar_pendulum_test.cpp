#include "taut/reference/planar_pendulum.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "taut/base/error.hpp"

namespace taut::reference {
namespace {

PlanarPendulum::Setup simple() { return {{1}, {1}, {M_PI / 2}, {}, 9.81, Vec3::Zero()}; }
PlanarPendulum::Setup arm() {
  return {{1, 1}, {10, 10}, {M_PI / 2, M_PI / 2}, {}, 9.81, Vec3::Zero()};
}

// The period from the complete elliptic integral: T = 4 √(L/g) K(sin 45°).
TEST(PlanarPendulum, SimplePendulumHasItsPeriod) {
  constexpr double period = 2.367841947576;
  PlanarPendulum pendulum(simple());
  pendulum.advance_to(period / 4);
  EXPECT_NEAR(pendulum.position(0).x(), 0, 1e-11);
  EXPECT_NEAR(pendulum.velocity(0).x(), -std::sqrt(2 * 9.81), 1e-11);
  pendulum.advance_to(period);
  EXPECT_NEAR((pendulum.position(0) - Vec3(1, 0, 0)).norm(), 0, 1e-11);
  pendulum.advance_to(10);
  EXPECT_NEAR(pendulum.position(0).x(), 0.275087462576, 1e-11);
  EXPECT_NEAR(pendulum.position(0).y(), -0.961419205099, 1e-11);
}

TEST(PlanarPendulum, KeepsItsEnergy) {
  PlanarPendulum pendulum(arm());
  for (int i = 1; i <= 200; ++i) {
    pendulum.advance_to(0.1 * i);
    ASSERT_NEAR(pendulum.energy(), 0, 1e-8) << "at " << pendulum.time();
  }
}

TEST(PlanarPendulum, TwoLinksAgreeBetweenTolerances) {
  PlanarPendulum fine(arm(), 1e-14), usual(arm()), coarse(arm(), 1e-11);
  for (int i = 1; i <= 10; ++i) {
    for (PlanarPendulum* pendulum : {&fine, &usual, &coarse}) pendulum->advance_to(i);
    EXPECT_NEAR((fine.position(1) - usual.position(1)).norm(), 0, 1e-10);
    EXPECT_NEAR((fine.position(1) - coarse.position(1)).norm(), 0, 1e-7);
  }
}

TEST(PlanarPendulum, DoesNotDependOnTheTimesAskedFor) {
  PlanarPendulum often(arm()), once(arm());
  for (int i = 1; i <= 3000; ++i) often.advance_to(i / 300.0);
  once.advance_to(10);
  EXPECT_EQ(often.time(), 10);
  EXPECT_EQ(once.time(), 10);
  EXPECT_NEAR((often.position(1) - once.position(1)).norm(), 0, 1e-10);
}

TEST(PlanarPendulum, VelocityIsTheDerivativeOfPosition) {
  PlanarPendulum pendulum({{1, 2, 3}, {1, 0.5, 2}, {0.3, 2, -1}, {1, -2, 0.5}, 9.81, {1, 2, 3}});
  constexpr double d = 1e-4;
  pendulum.advance_to(1 - d);
  const Vec3 before = pendulum.position(2);
  pendulum.advance_to(1);
  const Vec3 velocity = pendulum.velocity(2);
  pendulum.advance_to(1 + d);
  EXPECT_NEAR(((pendulum.position(2) - before) / (2 * d) - velocity).norm(), 0, 1e-5);
  EXPECT_EQ(pendulum.position(2).z(), 3);
}

TEST(PlanarPendulum, RejectsWhatMakesNoSense) {
  EXPECT_THROW(PlanarPendulum({{}, {}, {}, {}, 9.81, Vec3::Zero()}), Error);
  EXPECT_THROW(PlanarPendulum({{1, 1}, {1}, {0, 0}, {}, 9.81, Vec3::Zero()}), Error);
  EXPECT_THROW(PlanarPendulum({{0}, {1}, {0}, {}, 9.81, Vec3::Zero()}), Error);
  EXPECT_THROW(PlanarPendulum({{1}, {1}, {NAN}, {}, 9.81, Vec3::Zero()}), Error);
}

TEST(CoordinateTrack, AnswersForTimesInAnyOrder) {
  const auto y = coordinate_track(simple(), 0, 1);
  const double at_one = y(1);
  EXPECT_NEAR(y(10), -0.961419205099, 1e-11);
  EXPECT_EQ(y(1), at_one);
  EXPECT_NEAR(y(0), 0, 1e-15);
  PlanarPendulum pendulum(simple());
  pendulum.advance_to(0.5);
  EXPECT_NEAR(y(0.5), pendulum.position(0).y(), 1e-12);
}

}  // namespace
}  // namespace taut::reference
