// The ghost: where the hand of the user is, whatever is in its way.
#pragma once

#include <memory>

#include "taut/hand/hand_model.hpp"
#include "taut/hand/hand_motion.hpp"

namespace taut::hand {

class Ghost {
 public:
  virtual ~Ghost() = default;
  virtual LimbStates limbs(double time) const = 0;
  virtual HandPose pose(double time) const = 0;
};

/// Follows a motion that is known from the start.
class MovedGhost final : public Ghost {
 public:
  MovedGhost(const HandModel& model, HandMotion motion)
      : model_(model), motion_(std::move(motion)) {}
  LimbStates limbs(double time) const override { return model_.limbs(motion_.at(time)); }
  HandPose pose(double time) const override { return motion_.at(time); }

 private:
  HandModel model_;
  HandMotion motion_;
};

/// Is where it was last put, and goes on for the rest of the step as fast as it did: what a device
/// moves. Must not be put anywhere during a step.
class HeldGhost final : public Ghost {
 public:
  explicit HeldGhost(const HandModel& model, const HandState& start = {}) : model_(model) {
    put(start, 0);
  }
  void put(const HandState& hand, double time) {
    hand_ = hand;
    limbs_ = model_.limbs(hand);
    time_ = time;
  }
  LimbStates limbs(double time) const override;
  HandPose pose(double) const override { return hand_; }

 private:
  HandModel model_;
  HandPose hand_;
  LimbStates limbs_;
  double time_ = 0;
};

}  // namespace taut::hand
