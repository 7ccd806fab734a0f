// A device in a thread of its own, at a rate of its own: it is read and sent to there, whatever the
// simulation is doing. To others it is a device that never makes them wait.
//
// Forces are those that the simulation sends; or, if it tells what limbs touch instead, those of
// the local model at each turn (haptics/local_model.hpp), so that they change at the rate of the
// device. If the simulation has sent nothing for longer than `stale`, the device gets forces of 0.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "taut/devices/device.hpp"
#include "taut/haptics/local_model.hpp"
#include "taut/haptics/newest.hpp"

namespace taut::haptics {

class DeviceLoop final : public devices::Device {
 public:
  /// `period` and `stale` in s.
  DeviceLoop(std::unique_ptr<devices::Device> device, double period, double stale = 0.02);
  DeviceLoop(std::unique_ptr<devices::Device> device, double period, LocalForces local);
  ~DeviceLoop() override;
  DeviceLoop(const DeviceLoop&) = delete;
  DeviceLoop& operator=(const DeviceLoop&) = delete;

  std::optional<devices::HandSample> read() override;
  void send(const devices::HandForces& forces) override { forces_.write(forces); }
  /// With a local model: in place of send().
  void send(const LocalModel& model) { models_.write(model); }
  bool is_connected() const override { return is_connected_.load(std::memory_order_relaxed); }

  long turns() const { return turns_.load(std::memory_order_relaxed); }
  /// Turns that began later than the next one should have.
  long late() const { return late_.load(std::memory_order_relaxed); }

 private:
  void run();
  void exchange(std::chrono::steady_clock::time_point now);

  std::unique_ptr<devices::Device> device_;
  double period_, stale_;
  std::optional<LocalForces> local_;
  Newest<devices::HandSample> samples_;
  Newest<devices::HandForces> forces_;
  Newest<LocalModel> models_;
  devices::HandForces sent_;  // of the device's thread, as are the next two
  LocalModel model_;
  std::chrono::steady_clock::time_point told_;
  std::atomic<bool> ends_{false}, is_connected_{true};
  std::atomic<long> turns_{0}, late_{0};
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace taut::haptics
