#include "taut/haptics/device_loop.hpp"

#include <chrono>

namespace taut::haptics {

DeviceLoop::DeviceLoop(std::unique_ptr<devices::Device> device, double period, double stale)
    : device_(std::move(device)), period_(period), stale_(stale), thread_([this] { run(); }) {}

DeviceLoop::~DeviceLoop() {
  ends_ = true;
  thread_.join();
}

std::optional<devices::HandSample> DeviceLoop::read() {
  devices::HandSample sample;
  if (!samples_.read(sample)) return std::nullopt;
  return sample;
}

void DeviceLoop::run() {
  using Clock = std::chrono::steady_clock;
  const auto period =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(period_));
  devices::HandForces forces;
  Clock::time_point due = Clock::now(), told = due;
  while (!ends_) {
    std::this_thread::sleep_until(due);
    const Clock::time_point now = Clock::now();
    if (now > due + period) {
      late_.fetch_add(1, std::memory_order_relaxed);
      due = now;  // what was missed is not made up for
    }
    due += period;
    turns_.fetch_add(1, std::memory_order_relaxed);
    if (const auto sample = device_->read()) samples_.write(*sample);
    is_connected_.store(device_->is_connected(), std::memory_order_relaxed);
    if (forces_.read(forces)) told = now;
    if (std::chrono::duration<double>(now - told).count() > stale_) forces = {};
    device_->send(forces);
  }
  device_->send({});
}

}  // namespace taut::haptics
