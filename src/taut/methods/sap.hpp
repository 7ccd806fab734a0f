#pragma once

#include "taut/methods/free_step.hpp"
#include "taut/methods/newton_step.hpp"

namespace taut {

/// The end of a free step moved to the nearest point on the constraints.
class NearestPoint {
 public:
  /// In: q_end, λ in workspace.lambda: guesses.
  StepStatus project(const System& system, double h, const State& state, const FreeStep& free,
                     IterationLimits limits, Workspace& workspace, VecX& q_end, VecX& v_end,
                     StepReport& report);

  void archive(Archive& a, const System& system, Workspace& w) { newton_.archive(a, system, w); }

 private:
  NewtonStep newton_;
  VecX u_;
};

}  // namespace taut
