// The derivative of one number of a run with respect to any number of parameters and the whole
// initial state, backwards: the adjoint of each step, from the last to the first. It costs a few
// runs, however many parameters there are. States on the way are found again from checkpoints, so
// memory grows like the square root of the steps. docs/derivatives.md has the equations.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "taut/derivatives/sensitivities.hpp"

namespace taut {

/// What was measured, and what is made of it: returns the number, and sets its derivatives with
/// respect to each value. values[k] has all sensors at times[k]; slopes comes as large, and zero.
struct Measured {
  std::vector<double> times;
  std::vector<std::vector<double>> values;
};
using Objective =
    std::function<double(const Measured& measured, std::vector<std::vector<double>>& slopes)>;

/// The value of a sensor at the end.
Objective final_value(int sensor);

struct Gradient {
  double value = 0;
  VecX parameters;     ///< as the family lists them
  Perturbation start;  ///< of the initial state, where wanted: per velocity, as tangent vectors
  Measured measured;
  RunReport run;
  DerivativeReport report;
  bool is_adjoint = false;  ///< false: found forwards, as where events or contacts are on the way
  long most_states = 0;     ///< that were held at a time, checkpoints included
};

struct GradientOptions {
  bool initial_state = false;
};

/// As sensitivities(), for one number. Where a step is not a plain one of icd, icd2 or
/// energy_momentum, derivatives are found forwards instead.
Gradient gradient(const ModelFamily& family, const DerivedMethod& method, const RunOptions& options,
                  const Objective& objective, const GradientOptions& wanted = {});

}  // namespace taut
