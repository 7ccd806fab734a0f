// From what a device says to where the ghost is: whatever comes, the ghost moves as a hand can.
//
//   no number, no rotation      the sample is refused
//   angles beyond the limits    the limits
//   a jump of the place         the place is refused until it has lasted for `believed`; then the
//                               ghost is put there, see jump(). Angles are followed all the time
//   nothing for longer than     the ghost stays where it is, and is stale: forces are 0. After more
//   `stale`                     than `believed` it is put where it is found again, as after a jump
//
// What comes out depends on the samples and the steps they came in, and on no clock.
#pragma once

#include <optional>

#include "taut/devices/device.hpp"

namespace taut::haptics {

struct GhostLimits {
  double speed = 3;           ///< m/s
  double turning_speed = 20;  ///< rad/s, of the hand and of each joint
  double stale = 0.02;        ///< s
  double believed = 0.06;  ///< s: what was farther away than a hand can get, and has stayed there
};

class GhostFilter {
 public:
  GhostFilter(const hand::HandPose& start, const GhostLimits& limits)
      : limits_(limits), target_(start) {
    ghost_.position = start.position;
    ghost_.orientation = start.orientation;
    ghost_.angles = hand::within_limits(start.angles);
  }

  /// Once per step of h.
  const hand::HandState& step(const std::optional<devices::HandSample>& sample, double h);
  const hand::HandState& ghost() const { return ghost_; }
  /// m: by which the ghost was put elsewhere in the last step, beside its motion. Who simulates a
  /// hand carries it there (haptics/transport.hpp).
  const Vec3& jump() const { return jump_; }
  /// Nothing sensible has come.
  bool is_stale() const { return silence_ > limits_.stale; }
  /// … or no place that was believed: where the hand is, is not known.
  bool is_lost() const { return age_ > limits_.stale; }
  long refused() const { return refused_; }

 private:
  bool is_likely(const hand::HandPose& pose, const hand::HandPose& before, double time) const;
  enum class Belief { likely, jumped, none };
  Belief judge(const hand::HandPose& pose, double h);
  void take(const hand::HandPose& pose, double h);
  void follow(double h);

  GhostLimits limits_;
  hand::HandPose target_;
  hand::HandPose heard_;  // the last sensible sample, believed or not
  hand::HandState ghost_;
  bool has_heard_ = false;
  Vec3 jump_ = Vec3::Zero();
  double doubt_ = 0;        // s for which samples have been far away, and near each other
  double silence_ = 1e300;  // s since the last sensible sample
  double age_ = 1e300;      // s since the last one whose place was believed
  long refused_ = 0;
};

}  // namespace taut::haptics
