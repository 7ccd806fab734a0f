// A better guess of where a step ends. Methods begin with what the velocity at the start leads to,
// and with the multipliers of the last step. What the last step found beyond such a guess, its
// acceleration, the next one mostly finds again.
#pragma once

#include "taut/model/system.hpp"

namespace taut {

class StepGuess {
 public:
  /// Adds to a guess of the end of a step, and of its multipliers, what the last step found beyond
  /// its own; nothing, and false, where it was not the step before, or as long, or did not help.
  bool improve(const System& system, const State& start, double h, VecX& q_end, VecX& lambda);
  /// When the end is found.
  void learn(const System& system, const State& start, double h, const VecX& q_end,
             const VecX& lambda);
  void forget() { end_ = -1; }

 private:
  double end_ = -1, h_ = 0;  // of the last step
  bool helps_ = true;
  VecX q_plain_, q_guess_, lambda_plain_;  // as given, and improved
  VecX found_, lambda_found_, missed_;
};

}  // namespace taut
