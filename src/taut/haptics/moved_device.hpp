// The motion of a scene's hand or stylus, as if a device had measured it: for trials without one.
#pragma once

#include <functional>

#include "taut/devices/device.hpp"
#include "taut/hand/ghost.hpp"

namespace taut::haptics {

class MovedDevice final : public devices::Device {
 public:
  /// A sample for each step of h.
  MovedDevice(std::shared_ptr<const hand::Ghost> ghost, double h)
      : MovedDevice([ghost](double time) { return ghost->pose(time); }, h) {}
  /// What is measured over time.
  MovedDevice(std::function<hand::HandPose(double)> pose, double h)
      : pose_(std::move(pose)), h_(h) {}
  std::optional<devices::HandSample> read() override {
    const double time = static_cast<double>(++step_) * h_;
    return devices::HandSample{time, pose_(time)};
  }

 private:
  std::function<hand::HandPose(double)> pose_;
  double h_;
  long step_ = 0;
};

}  // namespace taut::haptics
