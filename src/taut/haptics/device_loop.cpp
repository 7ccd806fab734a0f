#include "taut/haptics/device_loop.hpp"

namespace taut::haptics {

DeviceLoop::DeviceLoop(std::unique_ptr<devices::Device> device, double period, double stale)
    : device_(std::move(device)), period_(period), stale_(stale), thread_([this] { run(); }) {}

DeviceLoop::DeviceLoop(std::unique_ptr<devices::Device> device, double period, LocalForces local)
    : device_(std::move(device)),
      period_(period),
      stale_(0),
      local_(std::move(local)),
      thread_([this] { run(); }) {}

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
  Clock::time_point due = Clock::now();
  told_ = due;
  while (!ends_) {
    std::this_thread::sleep_until(due);
    const Clock::time_point now = Clock::now();
    if (now > due + period) {
      late_.fetch_add(1, std::memory_order_relaxed);
      due = now;  // what was missed is not made up for
    }
    due += period;
    turns_.fetch_add(1, std::memory_order_relaxed);
    exchange(now);
  }
  device_->send({});
}

void DeviceLoop::exchange(std::chrono::steady_clock::time_point now) {
  const std::optional<devices::HandSample> sample = device_->read();
  if (sample) samples_.write(*sample);
  is_connected_.store(device_->is_connected(), std::memory_order_relaxed);
  if (local_) {
    if (models_.read(model_)) local_->take(model_);
    const std::chrono::duration<double> since = now - told_;
    told_ = now;
    device_->send(local_->step(sample, since.count() > 0 ? since.count() : period_));
    return;
  }
  if (forces_.read(sent_)) told_ = now;
  if (std::chrono::duration<double>(now - told_).count() > stale_) sent_ = {};
  device_->send(sent_);
}

}  // namespace taut::haptics
