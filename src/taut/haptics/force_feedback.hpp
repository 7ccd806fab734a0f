// From what the limbs are held back with to what a device does to the fingers.
//
// Of the coupling, the springs count and the dampers do not: a sampled damper feeds energy back
// (Colgate and Schenkel: b > K T/2 + |B|). What opens a finger is taken of it, clipped to what the
// device can do, ramped in at the start and after input was stale, and 0 at once when it is. Then a
// passivity observer and limiter (after Hannaford and Ryu 2002): the energy that a finger has put
// in, E = −Σ f Δx, never gets below 0 by more than what one step at the largest force gives.
#pragma once

#include <array>

#include "taut/devices/device.hpp"
#include "taut/hand/coupling.hpp"

namespace taut::haptics {

struct FeedbackLimits {
  double most_force = 12;  ///< N per finger, as a CyberGrasp has
  double ramp = 0.5;       ///< s
};

/// Watches one force along one coordinate, and lessens it where it would give energy away that was
/// never put in.
class PassivityLimiter {
 public:
  /// `position`: m, grows where the force pushes. `wanted`: N, ≥ 0. Returns what may act until the
  /// next call.
  double step(double position, double wanted);
  double energy() const { return energy_; }  ///< J that the user has put in and not got back
  void reset() { *this = {}; }

 private:
  double energy_ = 0, force_ = 0, position_ = 0;
  bool has_position_ = false;
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
  double ramp_ = 0;  // part of the force that may act
};

}  // namespace taut::haptics
