// From the joints that a headset sees to the angles of a hand, and between the samples of slow
// devices.
#include "taut/devices/webxr_hand.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "taut/devices/sample_smoother.hpp"

namespace taut::devices {
namespace {

/// Angles that joints show: without the arch of the palm and the wrist's own.
hand::HandPose random_pose(std::mt19937& random) {
  std::uniform_real_distribution<double> part(0.05, 0.95), place(-1, 1);
  hand::HandPose pose;
  pose.position = {place(random), place(random), place(random)};
  pose.orientation = Quat(place(random), place(random), place(random), place(random)).normalized();
  for (int i = 0; i < 19; ++i) {
    const hand::AngleLimits limits = hand::angle_limits(i);
    pose.angles[static_cast<std::size_t>(i)] =
        limits.lower + part(random) * (limits.upper - limits.lower);
  }
  // The thumb's direction tells its rotation only where it is spread at all; and a finger that
  // points straight to the palm does not tell to which side it is spread.
  pose.angles[3] = std::max(pose.angles[3], 0.1);
  for (const std::size_t mpj : {4, 7, 11, 15}) pose.angles[mpj] = std::min(pose.angles[mpj], 1.2);
  return pose;
}

TEST(WebXrHand, JointsOfAPoseGiveThePoseBack) {
  std::mt19937 random(7);
  int compared = 0;
  for (const hand::Side side : {hand::Side::right, hand::Side::left})
    for (int trial = 0; trial < 200; ++trial) {
      const hand::HandModel model(hand::HandSizes::of_length(0.17), side);
      const hand::HandPose pose = random_pose(random);
      const auto found = pose_of_joints(joints_of_pose(pose, model), model);
      ASSERT_TRUE(found);
      EXPECT_LT((found->position - pose.position).norm(), 1e-12);
      EXPECT_LT(found->orientation.angularDistance(pose.orientation), 1e-7);
      for (std::size_t i = 0; i < pose.angles.size(); ++i, ++compared)
        EXPECT_NEAR(found->angles[i], pose.angles[i], 1e-7)
            << hand::angle_name(static_cast<int>(i));
    }
  EXPECT_EQ(compared, 400 * hand::angle_count);
}

TEST(WebXrHand, SizeDoesNotMatter) {
  std::mt19937 random(8);
  const hand::HandModel model, large(hand::HandSizes::of_length(0.23));
  const hand::HandPose pose = random_pose(random);
  const auto found = pose_of_joints(joints_of_pose(pose, large), model);
  ASSERT_TRUE(found);
  for (std::size_t i = 0; i < pose.angles.size(); ++i)
    EXPECT_NEAR(found->angles[i], pose.angles[i], 1e-7);
}

TEST(WebXrHand, WhatIsNoHandIsRefused) {
  const hand::HandModel model;
  const WebXrJoints good = joints_of_pose({}, model);
  ASSERT_TRUE(pose_of_joints(good, model));
  for (std::size_t joint = 0; joint < good.size(); ++joint)
    for (const double wrong : {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e300}) {
      WebXrJoints joints = good;
      joints[joint].y() = wrong;
      EXPECT_FALSE(pose_of_joints(joints, model)) << joint;
    }
  WebXrJoints none;
  none.fill(Vec3::Zero());
  EXPECT_FALSE(pose_of_joints(none, model));
  WebXrJoints line;
  for (std::size_t i = 0; i < line.size(); ++i) line[i] = {0.01 * static_cast<double>(i), 0, 0};
  EXPECT_FALSE(pose_of_joints(line, model));
}

// Whatever joints there are, angles are those of a hand.
TEST(WebXrHand, AnglesStayWithinLimits) {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> place(-0.12, 0.12);
  const hand::HandModel model;
  int poses = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    WebXrJoints joints;
    for (Vec3& joint : joints) joint = {place(random), place(random), place(random)};
    const auto found = pose_of_joints(joints, model);
    if (!found) continue;
    ++poses;
    EXPECT_EQ(found->angles, hand::within_limits(found->angles));
    EXPECT_NEAR(found->orientation.norm(), 1, 1e-12);
  }
  EXPECT_GT(poses, 1000);
}

HandSample at(double x) {
  HandSample sample;
  sample.pose.position.x() = x;
  sample.pose.angles[4] = 10 * x;
  return sample;
}

// 16 steps from sample to sample: the hand goes on evenly and is late by those.
TEST(SampleSmoother, GoesStraightFromSampleToSample) {
  SampleSmoother smoother;
  std::vector<double> places;
  for (int step = 0; step < 160; ++step) {
    const auto sample = step % 16 == 0 ? std::optional(at(1e-3 * step)) : std::nullopt;
    const auto out = smoother.step(sample, 1e-3);
    if (step >= 32) ASSERT_TRUE(out);
    if (out) {
      places.push_back(out->pose.position.x());
      EXPECT_NEAR(out->pose.angles[4], 10 * out->pose.position.x(), 1e-12);
    } else {
      places.push_back(places.back());
    }
  }
  for (std::size_t step = 33; step < places.size(); ++step)
    EXPECT_NEAR(places[step] - places[step - 1], 1e-3, 1e-9) << step;
  EXPECT_NEAR(places.back(), 1e-3 * 144, 1e-12);
}

TEST(SampleSmoother, EndsExactlyWhereItWasMeasuredAndThenIsSilent) {
  SampleSmoother smoother;
  smoother.step(at(0), 1e-3);
  std::optional<HandSample> last;
  for (int i = 0; i < 9; ++i) smoother.step(std::nullopt, 1e-3);
  last = smoother.step(at(0.1), 1e-3);
  for (int i = 0; i < 9; ++i) last = smoother.step(std::nullopt, 1e-3);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->pose.position.x(), 0.1);
  EXPECT_FALSE(smoother.step(std::nullopt, 1e-3));
}

TEST(SampleSmoother, WhatIsNoNumberGoesOnAndSpoilsNothing) {
  SampleSmoother smoother;
  smoother.step(at(0.5), 1e-3);
  const auto out = smoother.step(at(std::nan("")), 1e-3);
  ASSERT_TRUE(out);
  EXPECT_TRUE(std::isnan(out->pose.position.x()));
  for (int i = 0; i < 200; ++i) smoother.step(std::nullopt, 1e-3);
  std::optional<HandSample> next = smoother.step(at(0.6), 1e-3), seen = next;
  for (int i = 0; i < 100; ++i)
    if ((next = smoother.step(std::nullopt, 1e-3))) seen = next;
  EXPECT_EQ(seen->pose.position.x(), 0.6);
}

}  // namespace
}  // namespace taut::devices
