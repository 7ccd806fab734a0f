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
///   contradictions, singular starts, frequencies the step cannot resolve,
///   motors, strings                                                        icd2 (sheets: icd)
///   a motion that the step does not follow                                 energy_momentum or icd2
///   loops and redundant rows, where a trial of the whole run succeeds      dop853, rk4_projected
///   … where it does not, and energy should stay in them or in a long run   energy_momentum
///   everything else                                                        dop853
MethodChoice choose_method(const System& system, const State& state, double step, double duration);

}  // namespace taut
