// Between the samples of a device that measures more rarely than the simulation steps, as a browser
// does 60 to 90 times a second: the hand goes straight from each sample to the next, in the time
// that lay between the last two. So it is late by that time, and does not jerk.
#pragma once

#include "taut/devices/device.hpp"

namespace taut::devices {

class SampleSmoother {
 public:
  /// Once per step of h. Nothing where the hand has arrived and no sample has come. What is no
  /// number, or no place of a hand, goes on as it came: whoever takes it refuses it.
  std::optional<HandSample> step(const std::optional<HandSample>& sample, double h);
  void reset() { *this = {}; }

 private:
  HandSample from_, to_;
  double interval_ = 0, gone_ = 0;  // s: from one sample to the next, and of that
  double since_ = 0;                // s, since the last sample
  bool has_sample_ = false;
};

/// Between two poses: angles and places straight, orientations by the shortest turn.
hand::HandPose between(const hand::HandPose& from, const hand::HandPose& to, double share);

}  // namespace taut::devices
