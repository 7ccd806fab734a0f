// Sets that are joined two by two: which of them does a number belong to? (Union-find, with paths
// halved.)
#pragma once

#include <numeric>
#include <vector>

namespace taut {

class JoinedSets {
 public:
  /// 0 … count − 1, each alone.
  void begin(int count) {
    next_.resize(static_cast<std::size_t>(count));
    std::iota(next_.begin(), next_.end(), 0);
  }
  std::size_t size() const { return next_.size(); }
  /// The number that stands for the set.
  int of(int number) {
    while (at(number) != number) number = at(number) = at(at(number));
    return number;
  }
  void join(int a, int b) { at(of(a)) = of(b); }

 private:
  int& at(int number) { return next_[static_cast<std::size_t>(number)]; }

  std::vector<int> next_;  // towards the one that stands for all
};

}  // namespace taut
