// When constraints begin to act on a state that violates them: at the start, and when a driven one
// jumps.
#pragma once

#include <optional>

#include "taut/methods/settle.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut::detail {

class Activation {
 public:
  Activation(const System& system, const RunOptions& options, double extent, RunReport& report);

  /// Whether the position is illegal. An illegal velocity alone is projected at once.
  bool check_start(State& state, Workspace& workspace);

  /// Where in the step a driven constraint, or its rate, jumps: between the two times.
  struct Jump {
    double before, after;
  };
  std::optional<Jump> find_jump(const State& state, double h, Workspace& workspace);

  /// A settling step, noted in the report. It may take less time than h.
  SettleReport settle(double h, State& state, Workspace& workspace, double least = 0);

 private:
  void sample(const VecX& q, double time, Workspace& workspace, VecX& C, VecX& C_t);
  void note(const SettleReport& settled, double time, double energy_before, const State& state);

  const System& system_;
  RunReport& report_;
  bool active_, driven_ = false;
  double position_bound_, speed_;  // speed_: one that a slow scene has
  Settle settle_;
  VecX C_[3], rate_[3];
};

}  // namespace taut::detail
