#include "taut/hand/hand_model.hpp"

#include <gtest/gtest.h>

#include "taut/base/error.hpp"
#include "taut/hand/hand_motion.hpp"
#include "taut/model/rotation.hpp"

namespace taut::hand {
namespace {

HandState some_state() {
  HandState hand;
  hand.position = {0.1, -0.2, 0.3};
  hand.orientation = exponential(Vec3(0.3, -0.8, 0.5));
  hand.velocity = {0.5, 0.2, -0.4};
  hand.angular_velocity = {1, -2, 0.7};
  for (int i = 0; i < angle_count; ++i) {
    hand.angles[static_cast<std::size_t>(i)] = 0.1 + 0.03 * i;
    hand.rates[static_cast<std::size_t>(i)] = std::cos(i);
  }
  return hand;
}

/// The same a little later, or earlier.
HandState moved(const HandState& from, double time) {
  HandState hand = from;
  hand.position += time * from.velocity;
  hand.orientation = exponential(time * from.angular_velocity) * from.orientation;
  for (std::size_t i = 0; i < hand.angles.size(); ++i) hand.angles[i] += time * from.rates[i];
  return hand;
}

TEST(HandModel, FlatHandIsAsLongAsItSays) {
  const HandModel model(HandSizes::of_length(0.18));
  const LimbStates flat = model.limbs(HandPose{});
  const Vec3 tip = model.fingertip(2, flat);
  EXPECT_NEAR(tip.x(), 0.18, 1e-12);
  EXPECT_NEAR(tip.z(), 0, 1e-15);
}

TEST(HandModel, FlexionBendsTowardsThePalmAndTheThumbOpposes) {
  const HandModel model(HandSizes::of_length(0.19));
  HandPose pose;
  pose.angles[static_cast<std::size_t>(find_angle("index_mpj"))] = 1;
  EXPECT_LT(model.fingertip(1, model.limbs(pose)).z(), -0.05);
  pose.angles[static_cast<std::size_t>(find_angle("thumb_ab"))] = 1;
  EXPECT_GT(model.fingertip(0, model.limbs(pose)).y(), 0.1);  // beside the hand
  pose.angles[static_cast<std::size_t>(find_angle("thumb_rotate"))] = 1.57;
  EXPECT_LT(model.fingertip(0, model.limbs(pose)).z(), -0.09);  // below the palm
}

TEST(HandModel, VelocitiesAreDerivatives) {
  const HandModel model(HandSizes::of_length(0.19));
  const HandState hand = some_state();
  const double h = 1e-6;
  const LimbStates now = model.limbs(hand), later = model.limbs(moved(hand, h)),
                   earlier = model.limbs(moved(hand, -h));
  for (std::size_t i = 0; i < now.size(); ++i) {
    const Vec3 velocity = (later[i].position - earlier[i].position) / (2 * h);
    EXPECT_LT((velocity - now[i].velocity).norm(), 1e-8) << limb_name(static_cast<int>(i));
    const Vec3 turn = logarithm(Quat(Mat3(later[i].rotation * earlier[i].rotation.transpose())));
    EXPECT_LT((turn / (2 * h) - now[i].angular_velocity).norm(), 1e-7);
  }
}

TEST(HandModel, LeftHandIsTheMirrorImage) {
  const HandModel right(HandSizes::of_length(0.19)), left(HandSizes::of_length(0.19), Side::left);
  HandState pose = some_state();
  pose.position.setZero();
  pose.orientation.setIdentity();
  pose.velocity.setZero();
  pose.angular_velocity.setZero();
  const LimbStates r = right.limbs(pose), l = left.limbs(pose);
  for (std::size_t i = 0; i < r.size(); ++i) {
    EXPECT_LT((r[i].position.cwiseProduct(Vec3(1, -1, 1)) - l[i].position).norm(), 1e-15);
    EXPECT_LT((r[i].velocity.cwiseProduct(Vec3(1, -1, 1)) - l[i].velocity).norm(), 1e-14);
  }
}

TEST(HandModel, RefusesSizesOfNoHand) {
  EXPECT_THROW(HandSizes::of_length(0), Error);
  HandSizes sizes = HandSizes::of_length(0.19);
  sizes.radii[2][2] = 0.1;
  EXPECT_THROW(HandModel{sizes}, Error);
}

TEST(HandModel, EveryAngleHasANameAndTurnsSomething) {
  const HandModel model(HandSizes::of_length(0.19));
  const LimbStates flat = model.limbs(HandPose{});
  for (int i = 0; i < angle_count; ++i) {
    EXPECT_EQ(find_angle(angle_name(i)), i);
    HandPose pose;
    pose.angles[static_cast<std::size_t>(i)] = 0.3;
    const LimbStates bent = model.limbs(pose);
    double turned = 0;
    for (std::size_t k = 0; k < bent.size(); ++k)
      turned += (bent[k].rotation - flat[k].rotation).norm();
    EXPECT_GT(turned, 0.1) << angle_name(i);
  }
}

TEST(HandMotion, RestsInItsKeyframesAndRatesAreDerivatives) {
  HandPose from, to;
  to.position = {0.3, 0, 0.1};
  to.orientation = exponential(Vec3(0.5, 1, 0));
  to.angles[4] = 1;
  const HandMotion motion({{1, from}, {2, to}, {3, to}});
  for (const double t : {0.0, 1.0, 2.0, 2.5, 9.0}) {
    EXPECT_EQ(motion.at(t).velocity.norm(), 0);
    EXPECT_EQ(motion.at(t).rates[4], 0);
  }
  EXPECT_LT((motion.at(5).position - to.position).norm(), 1e-15);
  const double h = 1e-6;
  const HandState now = motion.at(1.3), later = motion.at(1.3 + h), earlier = motion.at(1.3 - h);
  EXPECT_LT((now.velocity - (later.position - earlier.position) / (2 * h)).norm(), 1e-8);
  EXPECT_NEAR(now.rates[4], (later.angles[4] - earlier.angles[4]) / (2 * h), 1e-8);
  const Vec3 turn = logarithm(later.orientation * earlier.orientation.conjugate());
  EXPECT_LT((now.angular_velocity - turn / (2 * h)).norm(), 1e-7);
  EXPECT_THROW(HandMotion({}), Error);
  EXPECT_THROW(HandMotion({{1, from}, {1, to}}), Error);
}

}  // namespace
}  // namespace taut::hand
