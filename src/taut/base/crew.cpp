#include "taut/base/crew.hpp"

namespace taut {

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
  {
    const std::lock_guard lock(mutex_);
    call_ = call;
    what_ = what;
    busy_ = static_cast<int>(threads_.size());
    ++round_;
  }
  work_.notify_all();
  call(what, 0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return busy_ == 0; });
}

void Crew::wait_for_work(int index) {
  long seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [&] { return ends_ || round_ != seen; });
    if (ends_) return;
    seen = round_;
    const Call call = call_;
    const void* what = what_;
    lock.unlock();
    call(what, index);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

}  // namespace taut
