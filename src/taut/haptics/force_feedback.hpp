// From what the limbs are held back with to what a device does to the fingers.
//
// Of the coupling, the springs count and the dampers do not: a sampled damper feeds energy back
// (Colgate and Schenkel: b > K T/2 + |B|). What opens a finger is taken of it, clipped to what the
// device can do, ramped in at the start and after input was stale, and 0 at once when it is. Then a
// passivity observer and limiter (after Hannaford and Ryu 2002): the energy that a finger has put
// in, E = −Σ f Δx, never gets below 0 by more than what one step at the largest force gives.
#pragma once

#include <algorithm>
#include <array>

#include "taut/devices/device.hpp"
#include "taut/hand/coupling.hpp"
#include "taut/hand/stylus.hpp"

namespace taut::haptics {

struct FeedbackLimits {
  double most_force = 12;    ///< N per finger, as a CyberGrasp has, or of a stylus
  double ramp = 0.5;         ///< s, at the start
  double ramp_again = 0.08;  ///< s, after input was stale
};

/// Which part of a force may act: it grows from 0 at the start, and again, quicker, after 0.
class Ramp {
 public:
  double step(const FeedbackLimits& limits, double h) {
    part_ = std::min(1.0, part_ + h / (was_full_ ? limits.ramp_again : limits.ramp));
    was_full_ = was_full_ || part_ == 1;
    return part_;
  }
  void reset() { part_ = 0; }

 private:
  double part_ = 0;
  bool was_full_ = false;
};

/// Watches one force along one coordinate, and lessens it where it would give energy away that was
/// never put in.
class PassivityLimiter {
 public:
  /// `position`: m, grows where the force pushes. `wanted`: N, ≥ 0. Returns what may act until the
  /// next call.
  double step(double position, double wanted) {
    return step(Vec3(position, 0, 0), Vec3(wanted, 0, 0)).x();
  }
  /// The same in space: the force keeps its direction.
  Vec3 step(const Vec3& position, const Vec3& wanted);
  double energy() const { return energy_; }  ///< J that the user has put in and not got back
  void reset() { *this = {}; }

 private:
  double energy_ = 0;
  Vec3 force_ = Vec3::Zero(), position_ = Vec3::Zero();
  bool has_position_ = false;
};

/// What a stylus does to the hand that holds it, in the same way.
class StylusFeedback {
 public:
  explicit StylusFeedback(const FeedbackLimits& limits) : limits_(limits) {}
  /// Once per step of h. `tool`: the body of the stylus, `ghost`: where it would be.
  const devices::HandForces& step(const hand::Stylus& stylus, const hand::LimbState& tool,
                                  const hand::LimbState& ghost, bool is_stale, double h);
  /// The ghost was put elsewhere: that was no motion.
  void begin_again() { limiter_.reset(); }
  const devices::HandForces& forces() const { return forces_; }
  double energy() const { return limiter_.energy(); }

 private:
  FeedbackLimits limits_;
  devices::HandForces forces_;
  PassivityLimiter limiter_;
  Ramp ramp_;
};

class ForceFeedback {
 public:
  explicit ForceFeedback(const FeedbackLimits& limits) : limits_(limits) {}

  /// Once per step of h. `limbs`: of the simulated hand, `ghost`: of the user's.
  const devices::HandForces& step(const hand::Hand& hand, const hand::LimbStates& limbs,
                                  const hand::LimbStates& ghost, bool is_stale, double h);
  const devices::HandForces& forces() const { return forces_; }
  double energy(int finger) const { return limiters_[static_cast<std::size_t>(finger)].energy(); }

 private:
  FeedbackLimits limits_;
  devices::HandForces forces_;
  std::array<PassivityLimiter, hand::finger_count> limiters_;
  Ramp ramp_;
};

}  // namespace taut::haptics
