// A better guess of where a step ends. Methods begin with what the velocity at the start leads to,
// and with the multipliers of the last step. What the last steps found beyond such guesses, the
// next one mostly finds again: the same, or what the line, the parabola, … through them leads to,
// whichever of these would have been best in the last step.
#pragma once

#include <array>
#include <cmath>

#include "taut/model/system.hpp"

namespace taut {

class Archive;

class StepGuess {
 public:
  static constexpr int highest = 8;
  int most_order = highest;  ///< 1: the same as in the last step; 2: on a line; …

  /// Adds to a guess of the end of a step, and of its multipliers, what is expected beyond it;
  /// nothing, and false, where the last step was not the one before, or as long, or nothing would
  /// have helped, or plain guesses have left less of the equations.
  bool improve(const System& system, const State& start, double h, VecX& q_end, VecX& lambda);
  /// What the guess left of the equations.
  void judge(double left);
  /// When the end is found.
  void learn(const System& system, const State& start, double h, const VecX& q_end,
             const VecX& lambda);
  void archive(Archive& a);
  void forget() { end_ = -1; }

 private:
  bool chooses_better();

  double end_ = -1, h_ = 0;  // of the last step
  // By the last plain guess and by the last better one. Now and then the other one is tried.
  std::array<double, 2> left_{INFINITY, 0};
  int since_trial_ = 0, wait_ = 1;
  bool could_choose_ = false, is_better_ = false;
  VecX q_plain_, lambda_plain_;  // as given
  struct Found {
    VecX way, forces;  // beyond these
    void archive(Archive& a);
  };
  // What the last step found, how that differs from what the step before found, how that
  // difference has changed, and so on.
  std::array<Found, highest> changes_;
  int known_ = 0, order_ = 0;  // of them; how many of them are of use
  VecX found_, forces_;
};

}  // namespace taut
