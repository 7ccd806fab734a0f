// How a hand moves over time: from pose to pose, at rest in each, with the least jerk in between
// (Flash and Hogan 1985: s = 10 τ³ − 15 τ⁴ + 6 τ⁵), as people reach for things.
#pragma once

#include <vector>

#include "taut/hand/hand_model.hpp"

namespace taut::hand {

struct HandKeyframe {
  double time = 0;
  HandPose pose;  ///< its position is that of the motion's point
};

class HandMotion {
 public:
  /// At least one, in the order of time. Throws Error for others. `point`: in the frame of the
  /// wrist, what moves along straight lines while the hand turns about it.
  explicit HandMotion(std::vector<HandKeyframe> keyframes, const Vec3& point = Vec3::Zero());

  /// Before the first and after the last: at rest there.
  HandState at(double time) const;
  double end() const { return keyframes_.back().time; }

 private:
  HandState of_point(double time) const;

  std::vector<HandKeyframe> keyframes_;
  Vec3 point_;
};

}  // namespace taut::hand
