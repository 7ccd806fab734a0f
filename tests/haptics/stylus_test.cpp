// A stylus with a device, and walls that it is pressed against.
#include "taut/hand/stylus.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "taut/hand/hand.hpp"
#include "taut/haptics/grasp_session.hpp"
#include "taut/haptics/moved_device.hpp"
#include "taut/haptics/wall_test.hpp"
#include "taut/scene/scene.hpp"

namespace taut::haptics {
namespace stylus_tests {

io::Scene stylus_scene(const std::string& tip) {
  return io::parse_scene(
      R"({"taut": 1, "name": "touch", "title": "t", "description": "d",
          "shapes": [{"type": "plane", "friction": 0}],
          "styluses": [{"tip": ")" +
          tip + R"(", "position": [0, 0, 0.01], "radius": 0.004}],
          "simulation": {"method": "icd", "step": 0.001, "duration": 1}})",
      "touch", {});
}

/// The tip goes down to 1 mm below where it can be.
devices::HandSample pressed(double time) {
  devices::HandSample out;
  out.time = time;
  out.pose.position.z() = std::max(0.003, 0.01 - 0.02 * time);
  return out;
}

class StylusSession : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Tips, StylusSession, ::testing::Values("point", "pen"),
                         [](const auto& tip) { return std::string(tip.param); });

TEST_P(StylusSession, FeelsTheWallWithTheStiffnessOfTheCoupling) {
  io::Scene scene = stylus_scene(GetParam());
  ASSERT_EQ(hand::styluses_of(scene.system).size(), 1u);
  const double stiffness = hand::styluses_of(scene.system).front().coupling.stiffness;
  SessionOptions options;
  options.ghost.stale = 0.02;
  GraspSession session(std::move(scene.system), GraspSession::StylusNumber{0}, options);
  for (int i = 1; i <= 1500; ++i) {
    ASSERT_TRUE(session.step(pressed(0.001 * i)));
    if (i < 250) {
      EXPECT_LT(session.forces().wrist.norm(), 0.1);  // in the air
    }
  }
  const devices::HandForces felt = session.forces();
  EXPECT_NEAR(felt.wrist.z(), std::min(12.0, 0.001 * stiffness), 1e-6);
  EXPECT_LT(felt.wrist.head<2>().norm(), 1e-9);
  EXPECT_LT(felt.torque.norm(), 1e-9);
  EXPECT_GE(session.energy(0), -1e-6);
  for (int i = 0; i < 30; ++i) session.step(std::nullopt);
  EXPECT_EQ(session.forces().wrist.norm(), 0);  // nothing was measured for 30 ms
}

// A pen that leans: the wall pushes its tip.
TEST(StylusTorque, IsNoneAboutTheTip) {
  io::Scene scene = stylus_scene("pen");
  GraspSession session(std::move(scene.system), GraspSession::StylusNumber{0}, {});
  devices::HandSample sample = pressed(1);
  sample.pose.orientation = Quat(Eigen::AngleAxisd(0.5, Vec3::UnitY()));
  sample.pose.position.z() = 0.0035;
  for (int i = 1; i <= 1500; ++i) ASSERT_TRUE(session.step(sample));
  EXPECT_GT(session.forces().wrist.z(), 0.1);
  // The force acts at the tip: there is next to no torque about it.
  EXPECT_LT(session.forces().torque.norm(), 0.005 * session.forces().wrist.norm());
}

/// The largest |z| of the handle against a wall K, B, sampled and held, with x, v and the last x as
/// its state; by its own arithmetic.
double growth_per_turn(const WallTest& test) {
  const double T = 1 / test.rate, b = test.friction, m = test.mass;
  const double e = std::exp(-b * T / m), g = (1 - e) * m / b, push = (T - g) / b,
               kick = (1 - e) / b;
  // f = −K x − B (x − x₋)/T;  x⁺ = x + g v + push f,  v⁺ = e v + kick f
  const double fx = -test.stiffness - test.damping / T, fo = test.damping / T;
  double A[3][3] = {{1 + push * fx, g, push * fo}, {kick * fx, e, kick * fo}, {1, 0, 0}};
  double P[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double log_size = 0;
  constexpr int turns = 4000;
  for (int i = 0; i < turns; ++i) {
    double Q[3][3] = {}, size = 0;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) {
        for (int k = 0; k < 3; ++k) Q[r][c] += A[r][k] * P[k][c];
        size += std::abs(Q[r][c]);
      }
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) P[r][c] = Q[r][c] / size;
    log_size += std::log(size);
  }
  return std::exp(log_size / turns);
}

// What the test finds stable and not is what the eigenvalues say, away from the limit.
TEST(WallTest, AgreesWithTheEigenvalues) {
  int stable = 0, unstable = 0;
  for (const double rate : {250.0, 1000.0})
    for (const double stiffness : {0.25, 0.5, 2.0, 4.0, 8.0})
      for (const double damping : {0.0, 0.5}) {
        WallTest test;
        test.rate = rate;
        test.stiffness = stiffness * 2 * test.friction * rate;
        test.damping = damping;
        const double per_second = std::log(growth_per_turn(test)) * rate;
        if (std::abs(per_second) < 2) continue;  // too near the limit to show in 2 s
        const WallResult result = press(test);
        EXPECT_EQ(result.is_stable, per_second < 0)
            << rate << " Hz, K " << test.stiffness << " B " << damping << ": " << per_second
            << "/s, swing " << result.swing;
        ++(per_second < 0 ? stable : unstable);
        if (result.is_stable) {
          EXPECT_NEAR(result.depth, test.push / test.stiffness, 0.02 * test.push / test.stiffness);
        }
      }
  EXPECT_GE(stable, 5);
  EXPECT_GE(unstable, 5);
}

TEST(WallTest, IsStableWherePassiveAndNotWithTheDamperOfZaeh) {
  WallTest test;
  test.stiffness = 1800;  // of 2 b/T = 2000
  EXPECT_TRUE(test.is_passive());
  EXPECT_TRUE(press(test).is_stable);
  test.tip = hand::Tip::pen;
  EXPECT_TRUE(press(test).is_stable);
  const hand::LimbCoupling zaeh = hand::zaeh_coupling();
  test.rate = 250;
  test.stiffness = zaeh.stiffness;
  test.damping = zaeh.damping;
  EXPECT_FALSE(test.is_passive());
  EXPECT_FALSE(press(test).is_stable);
}

// A wall that is far too stiff gives energy away; with the limiter next to none.
TEST(WallTest, LimiterKeepsTheWallPassive) {
  WallTest test;
  test.stiffness = 20'000;
  const WallResult without = press(test);
  EXPECT_FALSE(without.is_stable);
  test.is_limited = true;
  const WallResult with = press(test);
  EXPECT_LT(with.given, 0.1 * without.given);
}

}  // namespace stylus_tests
}  // namespace taut::haptics
