// Which method suits a scene, and why: what `auto` stands for.
#pragma once

#include <string>
#include <vector>

#include "taut/methods/method.hpp"
#include "taut/model/system.hpp"

namespace taut {

struct MethodChoice {
  std::string method;
  std::vector<OptionValue> options;
  std::string reason;  ///< in words, for the user
};

/// From the state, the step and the duration of the run that is planned:
///   rows that depend on each other, or frequencies the step cannot resolve   icd2
///   energy that should stay, in a long run or in a mechanism with loops       energy_momentum,
///   order 4 everything else is smooth                                                dop853
MethodChoice choose_method(const System& system, const State& state, double step, double duration);

}  // namespace taut
