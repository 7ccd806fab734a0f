#include "taut/server/event_loop.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "taut/base/error.hpp"

namespace taut::server {
namespace {

constexpr std::chrono::milliseconds tick{4}, tick_alone{100};

}  // namespace

Workers::Workers(int count) {
  for (int i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
}

void Workers::finish() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  is_something_.notify_all();
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
}

void Workers::post(std::function<void()> task) {
  {
    std::unique_lock lock(mutex_);
    if (has_ended_) {
      lock.unlock();
      return task();
    }
    tasks_.push_back(std::move(task));
  }
  is_something_.notify_one();
}

void Workers::work() {
  for (;;) {
    std::function<void()> task;
    {
      std::unique_lock lock(mutex_);
      is_something_.wait(lock, [this] { return has_ended_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

void Descriptor::close() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

EventLoop::EventLoop() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC) != 0)
    throw Error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  wake_read_ = Descriptor(ends[0]);
  wake_write_ = Descriptor(ends[1]);
}

void EventLoop::wake() {
  const char byte = 0;
  // If the pipe is full, the loop will wake up anyway.
  [[maybe_unused]] const ssize_t written = ::write(wake_write_.number(), &byte, 1);
}

void EventLoop::post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  wake();
}

void EventLoop::stop() {
  {
    const std::lock_guard lock(mutex_);
    has_stopped_ = true;
  }
  wake();
}

void EventLoop::do_tasks() {
  std::vector<std::function<void()>> tasks;
  {
    const std::lock_guard lock(mutex_);
    tasks.swap(tasks_);
  }
  for (const auto& task : tasks) task();
}

void EventLoop::run() {
  using Clock = std::chrono::steady_clock;
  auto next_tick = Clock::now();
  std::vector<pollfd> polled;
  for (;;) {
    do_tasks();
    {
      const std::lock_guard lock(mutex_);
      if (has_stopped_) break;
    }
    std::erase_if(watched_, [](const auto& each) { return each->descriptor() < 0; });
    polled.assign(1, {wake_read_.number(), POLLIN, 0});
    for (const auto& each : watched_) {
      const int events =
          (each->wants_to_read() ? POLLIN : 0) | (each->wants_to_write() ? POLLOUT : 0);
      polled.push_back({each->descriptor(), static_cast<short>(events), 0});
    }
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(next_tick - Clock::now()).count();
    ::poll(polled.data(), polled.size(), static_cast<int>(std::max<long>(0, left)));

    if (polled.front().revents) {
      std::array<char, 64> bytes{};
      while (::read(wake_read_.number(), bytes.data(), bytes.size()) > 0) {
      }
    }
    // What is added on the way, by the one that listens, was not asked about.
    for (std::size_t i = 1; i < polled.size(); ++i) {
      const std::shared_ptr<Watched> each = watched_[i - 1];
      const short happened = polled[i].revents;
      // A connection that was reset is noticed by reading or writing.
      const bool is_lost = happened & (POLLERR | POLLHUP | POLLNVAL);
      if (happened & POLLOUT || (is_lost && each->wants_to_write())) each->write();
      if (each->descriptor() < 0) continue;
      if (happened & POLLIN || is_lost) each->read();
    }
    if (Clock::now() < next_tick) continue;
    // Alone is the one that waits for clients.
    next_tick = Clock::now() + (watched_.size() > 1 ? tick : tick_alone);
    const std::vector<std::shared_ptr<Watched>> all = watched_;
    for (const auto& each : all)
      if (each->descriptor() >= 0) each->tick();
  }
}

void EventLoop::clear() {
  std::vector<std::function<void()>> tasks;
  {
    const std::lock_guard lock(mutex_);
    tasks.swap(tasks_);
  }
  watched_.clear();
}

}  // namespace taut::server
