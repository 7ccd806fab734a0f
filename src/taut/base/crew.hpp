// Threads that wait for work that comes again and again, such as in every step: started once, woken
// without allocating memory.
#pragma once

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
  Call call_ = nullptr;
  const void* what_ = nullptr;
  long round_ = 0;
  int busy_ = 0;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace taut
