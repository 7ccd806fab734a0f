// Coming to rest: backward Euler with large steps damps all motion.
#pragma once

#include "taut/simulate/simulation.hpp"

namespace taut::testing {

/// Runs icd in steps of h until nothing moves by more than `still` in a step. From the system's
/// initial state, or from `start`.
inline RunReport come_to_rest(const System& system, double h, double still = 1e-9,
                              std::vector<OptionValue> method_options = {},
                              const State* start = nullptr) {
  const auto method = make_method("icd", method_options);
  RunOptions options;
  options.step = h;
  options.duration = 5 * h;
  options.reactions = true;
  State state = start != nullptr ? *start : system.initial_state();
  state.time = 0;
  RunReport report;
  for (int i = 0; i < 100; ++i) {
    report = simulate(system, state, *method, options);
    state = report.final_state;
    state.time = 0;
    if (report.status != RunStatus::ok || h * state.v.lpNorm<Eigen::Infinity>() < still)
      return report;
  }
  report.status = RunStatus::interrupted;
  report.reason = "it does not come to rest";
  return report;
}

}  // namespace taut::testing
