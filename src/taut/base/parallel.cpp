#include "taut/base/parallel.hpp"

#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace taut {

// Those that this program may run on, of all that there are: more threads than that wait for each
// other.
int core_count() {
#if defined(__linux__)
  cpu_set_t mine;
  if (sched_getaffinity(0, sizeof mine, &mine) == 0) return std::max(1, CPU_COUNT(&mine));
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

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
