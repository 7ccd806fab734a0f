#include <cmath>

#include "taut/simulate/run_loop_internal.hpp"

namespace taut::detail {
namespace {

/// The number of steps that reach `duration`; a last step that would be all round-off is not taken.
long step_count(double duration, double h) {
  return std::max(1L, static_cast<long>(std::ceil(duration / h * (1 - 1e-12) - 1e-9)));
}

/// The last of them, cut so that it ends at `duration`; h where only round-off would be cut off.
double last_step(double duration, double h) {
  const double rest = duration - static_cast<double>(step_count(duration, h) - 1) * h;
  const double roundoff = 1e-9 * h + 1e-12 * duration;
  return rest < h - roundoff ? rest : h;
}

constexpr double harmless = 1e-9;  // residual, of the extent: round-off, not worth halving

}  // namespace

void Run::fixed_steps() {
  const double h = options_.step;
  report_.step = h;
  progress_.steps = step_count(options_.duration, h);
  const double last = last_step(options_.duration, h);
  activation_.start(state_, workspace_);
  workspace_.leave_out_dependent_rows(system_, state_.q, state_.time);
  recording_.add(state_);

  while (progress_.step < progress_.steps && may_go_on()) {
    const bool is_last = progress_.step + 1 == progress_.steps;
    const bool is_cut = is_last && last < h;
    const StepReport step = fixed_step(is_cut ? last : h);
    ++progress_.step;
    // From the start, so that round-off does not add up.
    state_.time =
        start_time_ + (is_cut ? options_.duration : static_cast<double>(progress_.step) * h);
    progress_.time = state_.time;
    judge(step);
    if (is_finite(state_) &&
        (progress_.step % options_.record_every == 0 || is_last || !may_go_on()))
      recording_.add(state_);
    ask(is_last);
  }
}

// A jump is settled just behind it; the method does what lies before and after.
StepReport Run::fixed_step(double h) {
  const double end = state_.time + h;
  const auto jump = activation_.find_jump(state_, h, workspace_);
  if (!jump) return step_in_parts(h);

  StepReport report;
  const auto rest = [&](double until) {
    if (until - state_.time <= sliver * h) return;
    const StepReport part = step_in_parts(until - state_.time);
    add_part(report, part);
  };
  rest(jump->before);
  state_.time = jump->after;
  const StepReport settled = activation_.settle(state_, workspace_);
  if (settled.status == StepStatus::compromise) report.status = settled.status;
  report.regularized = report.regularized || settled.regularized;
  rest(end);
  return report;
}

// Where the last step had to be halved k times, this one begins with k − 1: difficult times last.
StepReport Run::step_in_parts(double h) {
  if (options_.max_halvings <= 0) return call_method(h);
  before_ = state_;
  lambda_before_ = workspace_.lambda;
  StepReport spent;  // costs of what was in vain
  for (int halvings = std::max(0, halvings_before_ - 1); halvings <= options_.max_halvings;
       ++halvings) {
    StepReport report;
    add_costs(report, spent);
    const bool ok = try_parts(h, 1 << halvings, report);
    // A compromise, too, may only be a step that was too long, however little of C it leaves.
    const bool is_roundoff =
        report.status == StepStatus::not_converged && report.residual <= harmless * extent_;
    const bool enough = halvings == 0 && (is_roundoff || progress_.step < no_halving_until_);
    if (ok || enough) {
      report.halvings = std::max(report.halvings, halvings);
      halvings_before_ = halvings;
      if (ok) no_halving_for_ = 1;
      return report;
    }
    add_costs(spent = {}, report);
  }
  // It helps nothing. Where the residual is let pass, it will help nothing in the next step either:
  // try again after twice as many steps, so that the run is not slowed down a hundredfold.
  no_halving_until_ = progress_.step + 1 + no_halving_for_;
  no_halving_for_ = std::min(2 * no_halving_for_, 1024L);
  halvings_before_ = 0;
  state_ = before_;
  // Multipliers of parts are no guess for the whole: those of a compromise grow with 1/h².
  workspace_.lambda = lambda_before_;
  StepReport whole = call_method(h);
  add_costs(whole, spent);
  return whole;
}

/// False at the first part that fails, with its status and residual.
bool Run::try_parts(double h, int parts, StepReport& report) {
  state_ = before_;
  for (int i = 0; i < parts; ++i) {
    const StepReport part = call_method(h / parts);
    add_part(report, part);
    if (part.status != StepStatus::ok || !is_finite(state_)) return false;
  }
  return true;
}

}  // namespace taut::detail
