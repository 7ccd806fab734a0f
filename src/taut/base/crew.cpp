#include "taut/base/crew.hpp"

#include <chrono>

namespace taut {
namespace {

constexpr std::chrono::microseconds patience(50);

/// Looks for a while whether something has come; true: it has.
template <class Come>
bool look_out(const Come& come) {
  const auto until = std::chrono::steady_clock::now() + patience;
  do {
    for (int i = 0; i < 64; ++i) {
      if (come()) return true;
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#endif
    }
  } while (std::chrono::steady_clock::now() < until);
  return come();
}

}  // namespace

Crew::Crew(int size) {
  for (int i = 1; i < size; ++i) threads_.emplace_back([this, i] { wait_for_work(i); });
}

Crew::~Crew() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Crew::start(Call call, const void* what) {
  call_ = call;
  what_ = what;
  busy_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
  bool wakes;
  {
    const std::lock_guard lock(mutex_);
    round_.fetch_add(1, std::memory_order_release);
    wakes = sleeping_ > 0;
  }
  if (wakes) work_.notify_all();
  call(what, 0);
  const auto is_done = [this] { return busy_.load(std::memory_order_acquire) == 0; };
  if (look_out(is_done)) return;
  std::unique_lock lock(mutex_);
  done_.wait(lock, is_done);
}

void Crew::wait_for_work(int index) {
  long seen = 0;
  const auto has_come = [&] { return ends_ || round_.load(std::memory_order_acquire) != seen; };
  for (;;) {
    if (!look_out(has_come)) {
      std::unique_lock lock(mutex_);
      ++sleeping_;
      work_.wait(lock, has_come);
      --sleeping_;
    }
    if (ends_) return;
    seen = round_.load(std::memory_order_acquire);
    call_(what_, index);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
    // The one that waits has looked at busy_ before this, and sleeps, or will look again.
    const std::lock_guard lock(mutex_);
    done_.notify_one();
  }
}

}  // namespace taut
