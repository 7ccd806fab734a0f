// Sessions: the scene grasp_box with a device that behaves, and with devices that do not.
#include <gtest/gtest.h>

#include <cmath>

#include "support/dice.hpp"
#include "taut/haptics/grasp_session.hpp"
#include "taut/haptics/moved_device.hpp"
#include "taut/haptics/timing.hpp"
#include "taut/scene/scene.hpp"

namespace taut::haptics {
namespace {

struct Trial {
  std::shared_ptr<const hand::Ghost> ghost;
  std::unique_ptr<GraspSession> session;

  /// The scene's own motion as samples.
  devices::HandSample sample(double time) const { return {time, ghost->pose(time)}; }
  Vec3 box() const {
    const System& system = session->system();
    return session->state().q.segment<3>(system.slot(*system.find_body("box")).q);
  }
  /// The largest force that acts on a finger or the palm.
  double force() const {
    double largest = session->forces().wrist.norm();
    for (const double each : session->forces().fingers) largest = std::max(largest, each);
    return largest;
  }
};

Trial trial(const SessionOptions& options = {}) {
  io::Scene scene = io::load_scene("grasp_box");
  Trial out;
  out.ghost = hand::hands_of(scene.system).front().ghost;
  out.session = std::make_unique<GraspSession>(std::move(scene.system), 0, options);
  return out;
}

TEST(GraspSession, LiftsTheBoxAndPushesBack) {
  const Trial t = trial();
  double lifted = 0, felt = 0, least_energy = 0;
  for (int i = 1; i <= 2000; ++i) {
    ASSERT_TRUE(t.session->step(t.sample(0.001 * i)));
    lifted = t.box().z();
    felt = std::max(felt, t.session->forces().fingers[1]);
    for (int finger = 0; finger < hand::finger_count; ++finger)
      least_energy = std::min(least_energy, t.session->energy(finger));
  }
  EXPECT_GT(lifted, 0.15);
  EXPECT_GT(felt, 0.5);
  EXPECT_GT(least_energy, -1e-3);  // J
}

TEST(GraspSession, SameSamplesGiveTheSameBits) {
  std::vector<VecX> states;
  for (int run = 0; run < 2; ++run) {
    const Trial t = trial();
    for (int i = 1; i <= 1000; ++i) t.session->step(t.sample(0.001 * i));
    states.push_back(t.session->state().q);
  }
  EXPECT_EQ(states[0], states[1]);
}

/// What a device may do in the middle of a grasp, and then be well again.
class BadDevice : public ::testing::TestWithParam<const char*> {
 protected:
  std::optional<devices::HandSample> sample(const Trial& t, double time) const {
    const std::string_view fault = GetParam();
    devices::HandSample good = t.sample(time);
    if (time < 1.3 || time > 1.6) return good;
    if (fault == "freezes") return std::nullopt;
    if (fault == "jumps") good.pose.position.x() += 1;
    if (fault == "shakes") good.pose.position.x() += static_cast<int>(1000 * time) % 2 ? 1 : -1;
    if (fault == "sends_nan") good.pose.angles[5] = NAN;
    if (fault == "sends_no_rotation") good.pose.orientation.coeffs().setZero();
    if (fault == "bends_too_far") good.pose.angles.fill(50);
    if (fault == "is_elsewhere") good.pose.position = Vec3::Constant(1e9);
    return good;
  }
};
INSTANTIATE_TEST_SUITE_P(Faults, BadDevice,
                         ::testing::Values("freezes", "jumps", "shakes", "sends_nan",
                                           "sends_no_rotation", "bends_too_far", "is_elsewhere"),
                         [](const auto& fault) { return std::string(fault.param); });

TEST_P(BadDevice, HasBoundedForcesAndRecovers) {
  const Trial t = trial(), good = trial();
  const std::string_view fault = GetParam();
  const bool is_refused = fault != "jumps" && fault != "shakes" && fault != "bends_too_far";
  for (int i = 1; i <= 2200; ++i) {
    const double time = 0.001 * i;
    ASSERT_TRUE(t.session->step(sample(t, time))) << t.session->report().reason;
    EXPECT_LE(t.force(), 400 + 1e-9);  // what the palm's coupling can do
    for (const double each : t.session->forces().fingers) EXPECT_LE(each, 12);
    ASSERT_LT(t.session->state().v.cwiseAbs().maxCoeff(), 2000);
    if (is_refused && time > 1.33 && time < 1.59) {
      EXPECT_EQ(t.force(), 0);  // stale
    }
    EXPECT_GT(t.box().z(), 0.0);  // and not through the table
    ASSERT_TRUE(good.session->step(good.sample(time)));
    // 100 ms after the device was well again, the ghost is where the device says, and the finger
    // feels what it would have felt.
    if (i != 1700 && i != 2200) continue;
    const hand::HandPose wanted = t.ghost->pose(time);
    EXPECT_LT((t.session->ghost().ghost().position - wanted.position).norm(), 1e-6) << i;
    EXPECT_FALSE(t.session->ghost().is_stale()) << i;
    const double felt = t.session->forces().fingers[1], usual = good.session->forces().fingers[1];
    EXPECT_GT(usual, 0.5);
    if (fault == "bends_too_far") continue;  // a fist does not hold the box
    EXPECT_NEAR(felt, usual, 0.1 * usual) << i;
    EXPECT_LT((t.box() - good.box()).norm(), 0.005) << i;
  }
}

TEST(ForceFeedback, IsZeroUntilThereIsInputAndRampsUp) {
  const Trial t = trial();
  for (int i = 1; i <= 100; ++i) {
    t.session->step(std::nullopt);
    EXPECT_EQ(t.force(), 0);
  }
}

// A finger with some mass thrown against a stiff wall, whose force is held for each period: the
// spring gives back more than it took, and the finger bounces higher and higher. With the limiter,
// it has never more than what it came with and one period's worth.
TEST(PassivityLimiter, GivesBackNoMoreThanWasPutIn) {
  for (const bool is_limited : {false, true}) {
    const double T = 0.001, K = 2000, mass = 0.1, pressed = 1;
    double x = 0.001, v = -0.2, most = 0, least_energy = 0;
    PassivityLimiter limiter;
    const auto energy = [&] { return 0.5 * mass * v * v + pressed * x; };
    const double start = energy();
    for (int i = 0; i < 5000; ++i) {
      double force = x < 0 ? std::min(12.0, -K * x) : 0;
      if (is_limited) force = limiter.step(x, force);
      const double acceleration = (force - pressed) / mass;
      x += T * v + 0.5 * T * T * acceleration;
      v += T * acceleration;
      most = std::max(most, energy());
      least_energy = std::min(least_energy, limiter.energy());
    }
    if (is_limited) {
      EXPECT_LT(most, start + 12 * 0.3 * T);
      EXPECT_GT(least_energy, -12 * 0.3 * T);
      EXPECT_LT(energy(), start);
    } else {
      EXPECT_GT(most, 3 * start);
    }
  }
}

TEST(Timing, PercentilesAreThoseOfTheSortedTimes) {
  std::vector<double> times;
  for (int i = 1000; i >= 1; --i) times.push_back(i);
  const Percentiles p = percentiles(times);
  EXPECT_EQ(p.p50, 500);
  EXPECT_EQ(p.p99, 990);
  EXPECT_EQ(p.p999, 999);
  EXPECT_EQ(p.most, 1000);
}

TEST(Timing, LoopKeepsItsScheduleAndCountsWhatIsLate) {
  int turns = 0;
  const LoopTimes times = timed_loop(0.002, [&] { return ++turns < 20; });
  EXPECT_EQ(times.wall.size(), 20u);
  EXPECT_GE(times.seconds, 19 * 0.002);
}

}  // namespace
}  // namespace taut::haptics
