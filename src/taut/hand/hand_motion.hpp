// How a hand moves over time: from pose to pose, at rest in each, with the least jerk in between
// (Flash and Hogan 1985: s = 10 τ³ − 15 τ⁴ + 6 τ⁵), as people reach for things.
#pragma once

#include <vector>

#include "taut/hand/hand_model.hpp"

namespace taut::hand {

struct HandKeyframe {
  double time = 0;
  HandPose pose;
};

class HandMotion {
 public:
  /// At least one, in the order of time. Throws Error for others.
  explicit HandMotion(std::vector<HandKeyframe> keyframes);

  /// Before the first and after the last: at rest there.
  HandState at(double time) const;
  const std::vector<HandKeyframe>& keyframes() const { return keyframes_; }
  double end() const { return keyframes_.back().time; }

 private:
  std::vector<HandKeyframe> keyframes_;
};

}  // namespace taut::hand
