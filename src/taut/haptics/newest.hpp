// The newest value of one thread, for another: no locks, no waiting, no allocation. What the reader
// did not fetch in time is replaced by what is newer.
//
// Three places: one the writer fills, one the reader looks at, and one between them. Handing over
// is one exchange of numbers.
#pragma once

#include <array>
#include <atomic>

namespace taut::haptics {

template <class T>
class Newest {
 public:
  /// Of one thread.
  void write(const T& value) {
    places_[writes_] = value;
    writes_ = between_.exchange(writes_ | fresh, std::memory_order_acq_rel) & ~fresh;
  }
  /// Of one other thread. False, and `out` stays as it is, where nothing is new.
  bool read(T& out) {
    if (!(between_.load(std::memory_order_relaxed) & fresh)) return false;
    reads_ = between_.exchange(reads_, std::memory_order_acq_rel) & ~fresh;
    out = places_[reads_];
    return true;
  }

 private:
  static constexpr unsigned fresh = 4;
  std::array<T, 3> places_{};
  unsigned writes_ = 0, reads_ = 1;
  std::atomic<unsigned> between_{2};
};

}  // namespace taut::haptics
