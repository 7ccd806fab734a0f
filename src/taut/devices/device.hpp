// A device that measures a hand and may push back: a glove, a tracker, a headset, a recording. Or a
// stylus: then the wrist is its tip, and angles mean nothing.
#pragma once

#include <array>
#include <optional>

#include "taut/hand/hand_model.hpp"

namespace taut::devices {

struct HandSample {
  double time = 0;  ///< s, of the device's clock
  hand::HandPose pose;
};

/// What the user feels.
struct HandForces {
  std::array<double, hand::finger_count> fingers{};  ///< N, pulls a finger open; never below 0
  Vec3 wrist = Vec3::Zero();   ///< N, on the palm or a stylus, in the world's directions
  Vec3 torque = Vec3::Zero();  ///< N·m, on a stylus
};

class Device {
 public:
  virtual ~Device() = default;
  /// The newest sample that has come since the last call, if any has. Never waits.
  virtual std::optional<HandSample> read() = 0;
  /// Never waits. Devices that exert no forces ignore it.
  virtual void send(const HandForces& /*forces*/) {}
  /// False once it is gone for good.
  virtual bool is_connected() const { return true; }
};

}  // namespace taut::devices
