// What is measured along a run: constraint errors, energy, deviation from a reference.
#pragma once

#include <string>
#include <vector>

#include "taut/simulate/simulation.hpp"

namespace taut {

class Metrics {
 public:
  Metrics(const System& system, const State& start, const RunOptions& options, RunReport& report);

  /// After a step. Returns the largest error of a constraint and its number.
  struct Worst {
    double error = 0;
    int constraint = -1;
  };
  Worst measure(const State& state);
  /// A constraint that has come to an end in the state that was measured last, and why, in words;
  /// empty: there is none.
  std::string ended() const;
  /// The deviation from the reference alone: at a recording time between steps.
  void compare(const State& state);
  void finish();

 private:
  void deviate(const State& state);

  const System& system_;
  const RunOptions& options_;
  RunReport& report_;
  std::vector<double> errors_;  // per constraint
  Pose pose_;
  int worst_ = -1;  // the constraint that had the largest error so far
  double squared_deviation_ = 0;
  long deviations_ = 0;
};

/// The name of the constraint with this number.
std::string constraint_name(const System& system, int constraint);
/// "distance \"link3\"" for the constraint with this number.
std::string constraint_label(const System& system, int constraint);

}  // namespace taut
