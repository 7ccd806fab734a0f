#include "taut/simulate/step_policy.hpp"

#include <algorithm>

#include "taut/model/scale.hpp"

namespace taut {

bool is_finite(const State& state) { return state.q.allFinite() && state.v.allFinite(); }

bool is_done(const Method& method, const StepReport& report) {
  return report.status == StepStatus::ok ||
         (method.promises.solves_contacts && report.status == StepStatus::not_converged &&
          report.residual == 0);
}

void StepPolicy::start(const System& system, const State& state, Workspace& w) {
  w.leave_out_dependent_rows(system, state.q, state.time);
}

StepReport StepPolicy::with_rows(const System& system, Method& method, double h, State& state,
                                 Workspace& w) {
  if (!w.leaves_rows_out()) [[likely]]
    return sheets_.step(system, method, h, state, w);
  left_at_ = state;
  modes_left_at_ = w.modes.modes();
  w.reconsider_dependent_rows(system, state.q, state.time);
  StepReport report = sheets_.step(system, method, h, state, w);
  if (is_done(method, report) && is_finite(state) && w.left_out_rows_hold(system, state))
    return report;
  w.take_all_rows();
  state = left_at_;
  w.modes.restore(modes_left_at_);
  w.trace.add({StepEvent::Kind::took_all_rows, state.time});
  const StepReport first = report;
  report = sheets_.step(system, method, h, state, w);
  report.add(first);
  return report;
}

StepReport StepPolicy::judged(const System& system, Method& method, double h, State& state,
                              Workspace& w) {
  StepReport report = with_rows(system, method, h, state, w);
  if (!(method.step_error > 0) || report.status != StepStatus::ok || !report.has_estimate)
      [[likely]]
    return report;
  // An error of velocity counts as long as the motion takes to cross the scene, or as a long run
  // takes where nothing moves.
  constexpr double many_steps = 1e6;
  const double length = length_scale(system, w.pattern, state.q);
  fastest_ = std::max(fastest_, relative_displacement(system, state.v, length));
  double error = relative_displacement(system, w.error_q, length);
  if (fastest_ > 0)
    error = std::max(error, relative_displacement(system, w.error_v, length) *
                                std::min(1 / fastest_, many_steps * h));
  if (error <= method.step_error) return report;
  report.status = StepStatus::not_converged;
  report.unsolved += error;
  return report;
}

StepReport StepPolicy::step_once(const System& system, Method& method, double h, State& state,
                                 Workspace& w) {
  w.trace.clear();
  StepReport report = with_rows(system, method, h, state, w);
  report.trace = w.trace.events();
  return report;
}

// Where the last step had to be halved k times, this one begins with k − 1: difficult times last.
StepReport StepPolicy::step(const System& system, Method& method, double h, State& state,
                            Workspace& w) {
  if (limits_.max_halvings <= 0) return step_once(system, method, h, state, w);
  w.trace.clear();
  before_ = state;
  modes_before_ = w.modes.modes();
  lambda_before_ = w.lambda;
  const long now = steps_++;
  StepReport spent;  // costs of what was in vain
  for (int halvings = std::max(0, halvings_before_ - 1); halvings <= limits_.max_halvings;
       ++halvings) {
    StepReport report;
    add_costs(report, spent);
    const int parts = 1 << halvings;
    const bool ok = try_parts(system, method, h, parts, state, w, report);
    // A compromise, too, may only be a step that was too long, however little of C it leaves.
    const bool is_roundoff = report.status == StepStatus::not_converged &&
                             !(method.step_error > 0 && report.unsolved > method.step_error) &&
                             std::max(report.residual, report.unsolved) <= limits_.harmless;
    const bool enough = halvings == 0 && (is_roundoff || now < no_halving_until_);
    if (ok || enough) {
      if (halvings > 0)
        w.trace.add({StepEvent::Kind::halved, before_.time, static_cast<double>(parts)});
      report.halvings = std::max(report.halvings, halvings);
      report.trace = w.trace.events();
      halvings_before_ = halvings;
      if (ok) no_halving_for_ = 1;
      return report;
    }
    add_costs(spent = {}, report);
    w.trace.clear();
  }
  // It helps nothing. Where the residual is let pass, it will help nothing in the next step either:
  // try again after twice as many steps, so that the run is not slowed down a hundredfold.
  no_halving_until_ = now + 1 + no_halving_for_;
  no_halving_for_ = std::min(2 * no_halving_for_, limits_.longest_pause);
  halvings_before_ = 0;
  state = before_;
  w.modes.restore(modes_before_);
  // Multipliers of parts are no guess for the whole: those of a compromise grow with 1/h².
  w.lambda = lambda_before_;
  w.trace.add({StepEvent::Kind::not_halved, state.time});
  StepReport whole = judged(system, method, h, state, w);
  add_costs(whole, spent);
  whole.trace = w.trace.events();
  return whole;
}

bool StepPolicy::try_parts(const System& system, Method& method, double h, int parts, State& state,
                           Workspace& w, StepReport& report) {
  state = before_;
  w.modes.restore(modes_before_);
  for (int i = 0; i < parts; ++i) {
    const StepReport part = judged(system, method, h / parts, state, w);
    add_part(report, part);
    if (!is_done(method, part) || !is_finite(state)) return false;
  }
  return true;
}

}  // namespace taut
