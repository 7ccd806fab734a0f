#include "taut/haptics/force_feedback.hpp"

#include <algorithm>
#include <cmath>

namespace taut::haptics {

Vec3 PassivityLimiter::step(const Vec3& position, const Vec3& wanted) {
  const Vec3 way = has_position_ ? Vec3(position - position_) : Vec3(Vec3::Zero());
  energy_ -= force_.dot(way);
  position_ = position;
  has_position_ = true;
  force_ = wanted;
  // If it goes on as fast, the next step gives away force · way.
  if (const double gives = force_.dot(way); gives > 0 && gives > energy_)
    force_ *= std::max(0.0, energy_ / gives);
  return force_;
}

const devices::HandForces& StylusFeedback::step(const hand::Stylus& stylus,
                                                const hand::LimbState& tool,
                                                const hand::LimbState& ghost, bool is_stale,
                                                double h) {
  forces_ = {};
  if (is_stale) {
    ramp_.reset();
    limiter_.reset();
    return forces_;
  }
  const double ramp = ramp_.step(limits_, h);
  const hand::LimbCoupling& law = stylus.coupling;
  Vec3 force = ramp * law.stiffness * (tool.position - ghost.position);
  if (const double size = force.norm(); size > limits_.most_force)
    force *= limits_.most_force / size;
  forces_.wrist = limiter_.step(ghost.position, force);
  if (stylus.tip == hand::Tip::point || force.isZero(0)) return forces_;
  // About the tip; lessened as the force is.
  Vec3 turn = Vec3::Zero();
  for (int i = 0; i < 3; ++i) turn += Vec3(ghost.rotation.col(i)).cross(Vec3(tool.rotation.col(i)));
  const double part = ramp * forces_.wrist.norm() / force.norm();
  const Vec3 arm = ghost.rotation * stylus.centre;
  forces_.torque = part * law.angular_stiffness * turn + arm.cross(forces_.wrist);
  return forces_;
}

const devices::HandForces& ForceFeedback::step(const hand::Hand& hand,
                                               const hand::LimbStates& limbs,
                                               const hand::LimbStates& ghost, bool is_stale,
                                               double h) {
  if (is_stale) {
    ramp_.reset();
    forces_ = {};
    for (PassivityLimiter& limiter : limiters_) limiter.reset();
    return forces_;
  }
  const double ramp = ramp_.step(limits_, h);
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
    const double wanted = std::clamp(ramp * force.dot(opens), 0.0, limits_.most_force);
    // The finger's way, as seen from the palm.
    const Vec3 tip =
        ghost[0].rotation.transpose() * (hand.model.fingertip(finger, ghost) - ghost[0].position);
    const Vec3 direction = ghost[0].rotation.transpose() * opens;
    forces_.fingers[static_cast<std::size_t>(finger)] =
        limiters_[static_cast<std::size_t>(finger)].step(tip.dot(direction), wanted);
  }
  forces_.wrist = ramp * pushed(0);
  return forces_;
}

}  // namespace taut::haptics
