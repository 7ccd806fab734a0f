#include "taut/derivatives/replay.hpp"

#include <memory>

namespace taut::detail {
namespace {

IterationLimits limits_of(const DerivedMethod& method) {
  const std::unique_ptr<Method> made = method.make();
  const auto* iterated = dynamic_cast<const IteratedMethod*>(made.get());
  return iterated ? iterated->limits() : IterationLimits{0, 25};
}

}  // namespace

Replay::Replay(Formula formula, const DerivedMethod& method, const System& system)
    : formula_(formula),
      system_(system),
      limits_(limits_of(method)),
      equations_(system),
      method_(is_newton(formula) ? nullptr : method.make()),
      w_(system) {}

bool Replay::step(StepRecord& step) {
  w_.adapt(system_);
  if (!w_.modes.empty()) {
    equations_.use_modes(step, step.from.q);
    w_.modes = equations_.workspace().modes;
  }
  if (!is_newton(formula_)) {
    w_.lambda = step.lambda;
    step.to = step.from;
    const StepReport report = method_->step(system_, step.h, step.to, w_);
    step.lambda = w_.lambda;
    step.modes = w_.modes.modes();
    return report.status == StepStatus::ok;
  }
  const FormulaTerms terms(formula_, step);
  const State& from = step.from;
  u_.setZero(from.v.size());
  base_ = from.v;
  guess_ = from.v;
  if (terms.over_step) u_ = from.v;
  if (terms.carry > 0) {
    system_.difference(step.before.q, from.q, Chart::rotation_vector, past_);
    u_ = (terms.carry / terms.tau) * past_;
    base_ += terms.carry * (from.v - step.before.v);
    guess_ += (0.5 * step.h / step.h_before) * (from.v - step.before.v);
  }
  system_.advance(from.q, guess_, step.h, step.to.q);
  w_.lambda = step.lambda;
  StepReport report;
  const StepStatus status = newton_.solve(
      system_, from,
      {terms.over_step ? StepEquations::Forces::over_step : StepEquations::Forces::at_end, step.h,
       terms.alpha, terms.tau, u_, base_},
      limits_, w_, step.to.q, step.to.v, report);
  step.to.time = from.time + step.h;
  step.lambda = w_.lambda;
  step.modes = w_.modes.modes();
  return status == StepStatus::ok;
}

}  // namespace taut::detail
