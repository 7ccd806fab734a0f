#include "taut/hand/hand_motion.hpp"

#include <algorithm>
#include <cmath>

#include "taut/base/error.hpp"
#include "taut/hand/ghost.hpp"
#include "taut/model/rotation.hpp"

namespace taut::hand {

HandMotion::HandMotion(std::vector<HandKeyframe> keyframes, const Vec3& point)
    : keyframes_(std::move(keyframes)), point_(point) {
  if (keyframes_.empty()) throw Error("found no keyframes, expected at least one");
  for (std::size_t i = 0; i + 1 < keyframes_.size(); ++i)
    if (!(keyframes_[i].time < keyframes_[i + 1].time))
      throw Error("found a keyframe that is not later than the one before it");
}

HandState HandMotion::at(double time) const {
  HandState hand = of_point(time);
  const Vec3 arm = hand.orientation * point_;
  hand.position -= arm;
  hand.velocity -= hand.angular_velocity.cross(arm);
  return hand;
}

/// The position is that of the point.
HandState HandMotion::of_point(double time) const {
  const auto next =
      std::upper_bound(keyframes_.begin(), keyframes_.end(), time,
                       [](double t, const HandKeyframe& frame) { return t < frame.time; });
  if (next == keyframes_.begin()) return HandState{keyframes_.front().pose};
  if (next == keyframes_.end()) return HandState{keyframes_.back().pose};
  const HandPose &from = (next - 1)->pose, &to = next->pose;
  const double duration = next->time - (next - 1)->time;
  const double tau = (time - (next - 1)->time) / duration;
  const double s = tau * tau * tau * (10 - tau * (15 - 6 * tau));
  const double rate = 30 * tau * tau * (1 - tau) * (1 - tau) / duration;
  HandState hand;
  hand.position = from.position + s * (to.position - from.position);
  hand.velocity = rate * (to.position - from.position);
  const Vec3 turn = logarithm(from.orientation.conjugate() * to.orientation);
  hand.orientation = from.orientation * exponential(s * turn);
  hand.angular_velocity = rate * (from.orientation * turn);
  for (std::size_t i = 0; i < hand.angles.size(); ++i) {
    const double way = to.angles[i] - from.angles[i];
    hand.angles[i] = from.angles[i] + s * way;
    hand.rates[i] = rate * way;
  }
  return hand;
}

LimbStates HeldGhost::limbs(double time) const {
  const double later = time - time_;
  if (later == 0) return limbs_;
  LimbStates out = limbs_;
  for (LimbState& limb : out) {
    limb.position += later * limb.velocity;
    const Vec3 turn = limb.rotation.transpose() * (later * limb.angular_velocity);
    limb.rotation = limb.rotation * exponential(turn).toRotationMatrix();
  }
  return out;
}

}  // namespace taut::hand
