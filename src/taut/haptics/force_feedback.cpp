#include "taut/haptics/force_feedback.hpp"

#include <algorithm>
#include <cmath>

namespace taut::haptics {

double PassivityLimiter::step(double position, double wanted) {
  const double way = has_position_ ? position - position_ : 0;
  energy_ -= force_ * way;
  position_ = position;
  has_position_ = true;
  force_ = wanted;
  // If it goes on as fast, the next step gives away force · way.
  if (way > 0 && force_ * way > energy_) force_ = std::max(0.0, energy_ / way);
  return force_;
}

const devices::HandForces& ForceFeedback::step(const hand::Hand& hand,
                                               const hand::LimbStates& limbs,
                                               const hand::LimbStates& ghost, bool is_stale,
                                               double h) {
  if (is_stale) {
    ramp_ = 0;
    forces_ = {};
    for (PassivityLimiter& limiter : limiters_) limiter.reset();
    return forces_;
  }
  ramp_ = std::min(1.0, ramp_ + h / limits_.ramp);
  const auto pushed = [&](std::size_t limb) {
    const hand::LimbCoupling& law = hand.coupling[limb];
    const Vec3 force = law.stiffness * (limbs[limb].position - ghost[limb].position);
    const double size = force.norm();
    return size > law.most_force ? Vec3(law.most_force / size * force) : force;
  };
  for (int finger = 0; finger < hand::finger_count; ++finger) {
    const std::size_t last = static_cast<std::size_t>(hand::limb_of(finger, 2));
    // Fingers open along z of their last limb, the thumb along y, to the other side on a left hand.
    const bool is_left = hand.model.side() == hand::Side::left;
    const Vec3 opens = finger > 0 ? Vec3(ghost[last].rotation.col(2))
                                  : Vec3((is_left ? -1 : 1) * ghost[last].rotation.col(1));
    Vec3 force = Vec3::Zero();
    for (int phalanx = 0; phalanx < 3; ++phalanx)
      force += pushed(static_cast<std::size_t>(hand::limb_of(finger, phalanx)));
    const double wanted = std::clamp(ramp_ * force.dot(opens), 0.0, limits_.most_force);
    // The finger's way, as seen from the palm.
    const Vec3 tip =
        ghost[0].rotation.transpose() * (hand.model.fingertip(finger, ghost) - ghost[0].position);
    const Vec3 direction = ghost[0].rotation.transpose() * opens;
    forces_.fingers[static_cast<std::size_t>(finger)] =
        limiters_[static_cast<std::size_t>(finger)].step(tip.dot(direction), wanted);
  }
  forces_.wrist = ramp_ * pushed(0);
  return forces_;
}

}  // namespace taut::haptics
