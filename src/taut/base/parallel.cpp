#include "taut/base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#ifdef __linux__
#include <sched.h>
#endif

namespace taut {

namespace {

std::atomic<int> most_cores{0};  // 0: as many as there are

// Those that the process may use: in a container, or under taskset, that is not all there are, and
// threads that take turns on one core only wait for each other.
int allowed_cores() {
#ifdef __linux__
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

int core_count() {
  const int cores = allowed_cores(), most = most_cores;
  return most > 0 ? std::min(most, cores) : cores;
}

void limit_cores(int most) { most_cores = std::max(1, most); }

void parallel_for(int count, const std::function<void(int)>& task, const ParallelOptions& options) {
  std::atomic<int> next{0}, done{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::condition_variable changed;
  int failed = count;  // under the mutex, as the next two
  std::exception_ptr failure;
  int working =
      std::clamp(options.threads > 0 ? options.threads : core_count(), 1, std::max(1, count));

  const auto work = [&] {
    for (int i; !stop && (i = next++) < count;) {
      try {
        task(i);
        ++done;
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (i < failed) {
          failed = i;
          failure = std::current_exception();
        }
        stop = true;
      }
    }
    const std::lock_guard lock(mutex);
    --working;
    changed.notify_one();
  };
  std::vector<std::thread> threads;
  for (int i = working; i > 0; --i) threads.emplace_back(work);
  {
    std::unique_lock lock(mutex);
    while (working > 0) {
      changed.wait_for(lock, std::chrono::milliseconds(100), [&] { return working == 0; });
      if (!options.keep_going) continue;
      lock.unlock();
      if (!options.keep_going(done)) stop = true;
      lock.lock();
    }
  }
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace taut
