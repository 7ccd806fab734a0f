// A better guess of where a step ends. Methods begin with what the velocity at the start leads to,
// and with the multipliers of the last step. What the last steps found beyond such guesses, the
// next one mostly finds again: the same, or what the line or the parabola through them leads to,
// whichever of these would have been best in the last step.
#pragma once

#include <array>
#include <cmath>

#include "taut/model/system.hpp"

namespace taut {

/// What the last steps found, and what the next one may find.
class FoundInSteps {
 public:
  /// The next is about the sum of the last ones, each times its weight; none: 0.
  void add_expected(VecX& to) const;
  void learn(const VecX& now);
  void forget() { known_ = order_ = 0; }
  bool expects_something() const { return order_ > 0; }

 private:
  static constexpr int most = 3;
  std::array<VecX, most> last_;  // the newest first
  int known_ = 0;                // of them
  int order_ = 0;                // how many of them are of use
};

class StepGuess {
 public:
  /// Adds to a guess of the end of a step, and of its multipliers, what is expected beyond it;
  /// nothing, and false, where the last step was not the one before, or as long, or nothing would
  /// have helped, or plain guesses have left less of the equations.
  bool improve(const System& system, const State& start, double h, VecX& q_end, VecX& lambda);
  /// What the guess left of the equations.
  void judge(double left);
  /// When the end is found.
  void learn(const System& system, const State& start, double h, const VecX& q_end,
             const VecX& lambda);
  void forget() { end_ = -1; }

 private:
  bool chooses_better();

  double end_ = -1, h_ = 0;  // of the last step
  // By the last plain guess and by the last better one. Now and then the other one is tried.
  std::array<double, 2> left_{INFINITY, 0};
  int since_trial_ = 0, wait_ = 1;
  bool could_choose_ = false, is_better_ = false;
  VecX q_plain_, lambda_plain_;  // as given
  FoundInSteps way_, forces_;    // beyond them
  VecX found_;
};

}  // namespace taut
