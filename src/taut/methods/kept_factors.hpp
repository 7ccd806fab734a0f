// Factors of Newton's matrix that are kept from step to step, where linear systems are solved by
// iteration and steps are small: the matrix then hardly changes, and to make it anew costs more
// than to solve with it. Whether the equations are solved is judged in every step as ever. Where
// one iteration with the old matrix was not enough, it is made anew, and not kept in the next
// steps.
#pragma once

#include <algorithm>
#include <cmath>

namespace taut {

class Archive;

class KeptFactors {
 public:
  /// What the matrix is made of, beside places and multipliers.
  struct Of {
    double mass = 0, compliance = 0;
    int forces = 0;
    bool operator==(const Of&) const = default;
  };

  /// When the matrix was made.
  void made(const Of& of) {
    of_ = of;
    age_ = 0;
    exist_ = true;
  }
  void archive(Archive& a);
  void forget() { exist_ = false; }

  /// Whether they will do for the first iteration of a step that begins now.
  bool will_do(const Of& of, double now, double h) {
    served_ = age_;
    return exist_ && age_ < span_ && of == of_ && std::abs(now - end_) <= same_time * h;
  }
  /// When a step is done: whether it began with kept ones, and what its first iteration left,
  /// relative to what is accepted.
  void learn(double end, bool was_kept, double left) {
    end_ = end;
    ++age_;
    if (!was_kept && !(left <= 1)) {
      exist_ = false;  // where even a new one is not enough, an old one is not
    } else if (was_kept && !(left <= 1)) {
      span_ = std::max(1, served_ / 2);
      waited_ = 0;
      wait_ = served_ > 1 ? first_wait : std::min(2 * wait_, longest_wait);
    } else if (was_kept && left > nearly_too_much) {
      span_ = age_;  // the next one had better not
    } else if (was_kept && age_ >= span_) {
      span_ = std::min(2 * span_, longest_span);
    } else if (span_ == 1 && ++waited_ >= wait_) {
      span_ = 2;
    }
  }

 private:
  static constexpr double same_time = 1e-9;  // relative to a step
  static constexpr double nearly_too_much = 0.6;
  static constexpr int longest_span = 16;
  static constexpr int first_wait = 4, longest_wait = 256;

  Of of_;
  bool exist_ = false;
  double end_ = -1;                     // of the last step
  int age_ = 0, served_ = 0;            // steps of this matrix: by now, when this one began
  int span_ = 2;                        // steps that one matrix is for
  int waited_ = 0, wait_ = first_wait;  // steps after which it is tried again where that is one
};

}  // namespace taut
