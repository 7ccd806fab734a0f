// Plain steps of icd, icd2 or energy_momentum done again from a state that was kept.
#pragma once

#include "taut/derivatives/implicit_equations.hpp"
#include "taut/derivatives/sensitivities.hpp"
#include "taut/methods/newton_step.hpp"

namespace taut::detail {

class Replay {
 public:
  Replay(Formula formula, const DerivedMethod& method, const System& system);

  /// From step.from and, where it looks back, step.before, with step.lambda as a guess and
  /// step.modes: sets step.to, lambda and modes. False where it did not converge.
  bool step(StepRecord& step);

 private:
  const Formula formula_;
  const System& system_;
  IterationLimits limits_;
  ImplicitEquations equations_;  // for the modes
  NewtonStep newton_;
  std::unique_ptr<Method> method_;  // of those that NewtonStep does not solve
  Workspace w_;
  VecX u_, base_, guess_, past_;
};

}  // namespace taut::detail
