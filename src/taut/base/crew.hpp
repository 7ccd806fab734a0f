// Threads that wait for work that comes again and again, such as in every step: started once, woken
// without allocating memory. What comes again within some 50 µs, as the loops of a linear solver
// do, finds them awake: they look out for it for so long before they sleep.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace taut {

class Crew {
 public:
  /// The calling thread works, too: `size` − 1 others are started.
  explicit Crew(int size);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }

  /// Calls work(0) … work(size − 1), each on a thread of its own, and waits for all. `work` must
  /// not throw.
  template <class Work>
  void run(const Work& work) {
    start([](const void* what, int index) { (*static_cast<const Work*>(what))(index); }, &work);
  }

 private:
  using Call = void (*)(const void*, int);
  void start(Call call, const void* what);
  void wait_for_work(int index);

  std::mutex mutex_;
  std::condition_variable work_, done_;
  Call call_ = nullptr;  // this and the next: written before round_, read after it
  const void* what_ = nullptr;
  std::atomic<long> round_ = 0;
  std::atomic<int> busy_ = 0;
  int sleeping_ = 0;  // under the mutex
  std::atomic<bool> ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace taut
