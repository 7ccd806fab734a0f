// The motion of a scene's hand, as if a device had measured it: for trials without one.
#pragma once

#include "taut/devices/device.hpp"
#include "taut/hand/ghost.hpp"

namespace taut::haptics {

class MovedDevice final : public devices::Device {
 public:
  /// A sample for each step of h.
  MovedDevice(std::shared_ptr<const hand::Ghost> ghost, double h)
      : ghost_(std::move(ghost)), h_(h) {}
  std::optional<devices::HandSample> read() override {
    const double time = static_cast<double>(++step_) * h_;
    return devices::HandSample{time, ghost_->pose(time)};
  }

 private:
  std::shared_ptr<const hand::Ghost> ghost_;
  double h_;
  long step_ = 0;
};

}  // namespace taut::haptics
