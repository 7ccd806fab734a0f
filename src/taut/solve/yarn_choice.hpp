// Whether cloth is solved for along yarns (yarn_sweeps.hpp). With them a solve takes about five
// iterations, however fine the cloth is, and each takes two to three times as long as one without.
// So they are used where solves have taken so many without them that this is worth it. Where it
// seems not to be, a system is solved without them, too, to see.
//
// Only numbers of iterations count, so that the same is chosen in every run.
#pragma once

#include <algorithm>

namespace taut {

class Archive;

class YarnChoice {
 public:
  bool uses() const { return uses_; }

  /// What a solve took.
  void learn(int iterations) {
    ++solves_;
    last_ = cost(iterations, uses_);
    mean_ += (last_ - mean_) / std::min(solves_, memory);
    if (solves_ < few) return;
    if (!uses_ && solves_ >= wait_ && mean_ > much) {
      expected_ = mean_;
      change();
    } else if (uses_ && mean_ < little) {
      change();
    }
  }
  /// Whether it is to be seen what the last system takes without them.
  bool is_in_doubt() const { return uses_ && solves_ >= few && mean_ > expected_ && last_ > mean_; }
  void judge(int without) {
    if (cost(without, false) < last_)
      give_up();
    else
      expected_ = 2 * mean_;
  }
  /// They are of no use, and not tried again soon.
  void give_up() {
    wait_ = std::min(2 * wait_, longest_wait);
    change();
  }
  void archive(Archive& a);

 private:
  // In iterations without yarns; their factors are for one or two solves. With many iterations,
  // each has to be made orthogonal to more. The solution takes as long as one more.
  static double cost(int iterations, bool along_yarns) {
    const double each = along_yarns ? 2.5 : 1, once = along_yarns ? 1.5 : 0;
    return once + (iterations + 1) * (each + iterations / 60.0);
  }
  void change() {
    uses_ = !uses_;
    solves_ = 0;
    mean_ = 0;
  }

  static constexpr int memory = 12, few = 4;  // solves
  static constexpr int first_wait = few, longest_wait = 512;
  static constexpr double much = 13;   // that is about 10 iterations without yarns
  static constexpr double little = 7;  // … about 1 with them

  bool uses_ = false;
  int solves_ = 0, wait_ = first_wait;         // since the last change
  double last_ = 0, mean_ = 0, expected_ = 0;  // of a solve
};

}  // namespace taut
