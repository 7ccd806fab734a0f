#include "taut/derivatives/implicit_equations.hpp"

#include "taut/derivatives/modes_of.hpp"

namespace taut::detail {

FormulaTerms::FormulaTerms(Formula formula, const StepRecord& step)
    : alpha(1 / step.h), tau(step.h), over_step(formula == Formula::midpoint) {
  if (over_step) alpha = 2 / step.h;
  if (formula == Formula::half_frozen) tau = step.h / 2;
  if (formula == Formula::bdf2 && step.h_before > 0) {
    const double ratio = step.h / step.h_before;
    carry = ratio * ratio / (1 + 2 * ratio);
    tau = step.h * (1 + ratio) / (1 + 2 * ratio);
    alpha = 1 / tau;
  }
}

// Rates measure their way from where the step began.
void ImplicitEquations::use_modes(const StepRecord& step, const VecX& q0) {
  w_.adapt(system_);
  if (w_.modes.empty()) [[likely]]
    return;
  put_modes(step.modes, w_.pattern, w_.modes);
  w_.modes.in_solve = step.in_solve;
  bool has_rates = false;
  for (const RowModes::Mode& mode : w_.modes.modes())
    has_rates = has_rates || (mode.is_equation && mode.has_start);
  if (!has_rates) return;
  if (w_.start.C.size() != w_.pattern.rows()) w_.start.resize(w_.pattern);
  w_.start.pose.set(system_, q0);
  w_.start.Rows::linearize(system_, w_.pattern, w_.start.pose, step.from.time);
  for (RowModes::Mode& mode : w_.modes.modes()) {
    if (!mode.is_equation || !mode.has_start) continue;
    mode.target = RowModes::continued(mode, w_.start.C[mode.row]);
    mode.start_rate = w_.start.C_t[mode.row];
  }
}

void ImplicitEquations::forces_and_rows(Formula formula, const StepRecord& step, const VecX& q0,
                                        const VecX& q1, const VecX& V, bool with_rows, VecX& P,
                                        VecX& C) {
  if (is_explicit(formula)) return forces_at_start(formula, step, q0, q1, V, with_rows, P, C);
  const bool over_step = formula == Formula::midpoint;
  const double end = step.from.time + step.h;
  use_modes(step, q0);
  start_pose_.set(system_, q0);
  w_.evaluate(system_, q1, end, w_.end, RowForm::smooth);
  if (w_.modes.in_solve) w_.modes.hold(w_.pattern, w_.end, w_.end.held);
  if (between_.J.size() != w_.pattern.jacobian_values) between_.resize(w_.pattern);
  if (over_step) {
    mean_pose_.set_mean(system_, start_pose_, w_.end.pose);
    const Passage passage{start_pose_, w_.end.pose, mean_pose_, step.from.time + 0.5 * step.h};
    if (with_rows || !w_.modes.empty()) {
      between_.linearize_between(system_, w_.pattern, passage);
      w_.modes.apply(w_.pattern, end, system_.velocity_size(), between_, held_);
      if (w_.modes.in_solve) w_.modes.hold(w_.pattern, between_, held_);
    }
    B_ = &between_.J;
    system_.forces_between(passage, V, w_.F);
    if (held_.size() > 0) w_.F += held_;
  } else {
    B_ = &w_.end.J;
    if (!w_.pattern.velocity_rows.empty()) {
      between_.J = w_.end.J;  // where the way's derivative takes its place
      B_ = &between_.J;
    }
    w_.plain_forces(system_, w_.end, V, end);
  }
  P = -w_.F;
  if (!with_rows) return;
  const Chart chart = over_step ? Chart::cayley : Chart::rotation_vector;
  State from;  // measure_way looks at its time and place
  if (!w_.pattern.velocity_rows.empty()) {
    from.time = step.from.time;
    from.q = q0;
  }
  w_.measure_way(system_, from, step.h, q1, w_.end, WayJacobian::derive, chart);
  pull_.resize(system_.velocity_size());
  multiply_transposed(w_.pattern, *B_, step.lambda, pull_);
  P += pull_;
  C = w_.end.C;
  give_way(formula, step, C);
}

/// C of rows with a law.
void ImplicitEquations::give_way(Formula formula, const StepRecord& step, VecX& C) const {
  const FormulaTerms terms(formula, step);
  for (const RowModes::Mode& mode : w_.modes.modes())
    C[mode.row] = mode.is_equation
                      ? C[mode.row] - std::abs(terms.tau / terms.alpha) *
                                          w_.modes.compliance(mode) * step.lambda[mode.row]
                      : 0;
}

void ImplicitEquations::way_of_rows(const StepRecord& step, const VecX& q, const VecX& delta,
                                    VecX& out) {
  w_.evaluate(system_, q, step.from.time, w_.start);
  if (w_.modes.in_solve) w_.modes.hold(w_.pattern, w_.start, w_.start.held);
  multiply(w_.pattern, w_.start.J, delta, out);
  out += step.h * w_.start.C_t;
}

void ImplicitEquations::forces_at_start(Formula formula, const StepRecord& step, const VecX& q0,
                                        const VecX& q1, const VecX& V, bool with_rows, VecX& P,
                                        VecX& C) {
  const double start = step.from.time;
  use_modes(step, q0);
  start_pose_.set(system_, q0);
  system_.difference(q0, q1, Chart::rotation_vector, way_);
  if (between_.J.size() != w_.pattern.jacobian_values) between_.resize(w_.pattern);
  VecX along(w_.pattern.rows());
  way_of_rows(step, q0, way_, along);
  B_ = &w_.start.J;
  w_.plain_forces(system_, w_.start, V, start);
  P = -w_.F;
  if (!with_rows) return;
  pull_.resize(system_.velocity_size());
  multiply_transposed(w_.pattern, *B_, step.lambda, pull_);
  P += pull_;
  if (continues_C(formula)) {
    C = w_.start.C + along;
  } else {
    w_.evaluate(system_, q1, start + step.h, w_.end);
    if (w_.modes.in_solve) w_.modes.hold(w_.pattern, w_.end, w_.end.held);
    State from;  // measure_way looks at its time and place
    if (!w_.pattern.velocity_rows.empty()) {
      from.time = start;
      from.q = q0;
    }
    w_.measure_way(system_, from, step.h, q1, w_.end, WayJacobian::derive);
    C = w_.end.C;
  }
  give_way(formula, step, C);
}

void ImplicitEquations::pull_over_step(const StepRecord& step, const VecX* q0, const VecX* q1,
                                       const VecX& V, bool with_forces, VecX& P) {
  if (q0) {
    use_modes(step, *q0);
    start_pose_.set(system_, *q0);
  }
  if (q1) end_pose_.set(system_, *q1);
  mean_pose_.set_mean(system_, start_pose_, end_pose_);
  const Passage passage{start_pose_, end_pose_, mean_pose_, step.from.time + 0.5 * step.h};
  between_.linearize_between(system_, w_.pattern, passage);
  w_.modes.apply(w_.pattern, step.from.time + step.h, system_.velocity_size(), between_, held_);
  if (w_.modes.in_solve) w_.modes.hold(w_.pattern, between_, held_);
  P.resize(system_.velocity_size());
  multiply_transposed(w_.pattern, between_.J, step.lambda, P);
  if (held_.size() > 0) P -= held_;
  if (!with_forces) return;
  system_.forces_between(passage, V, w_.F);
  P -= w_.F;
}

void ImplicitEquations::residual(Formula formula, const StepRecord& step, const At& at, VecX& r,
                                 VecX& C) {
  const FormulaTerms terms(formula, step);
  const Chart chart = terms.over_step ? Chart::cayley : Chart::rotation_vector;
  system_.difference(at.q0, at.q1, chart, delta_);
  v1_ = terms.alpha * delta_;
  base_ = at.v0;
  if (terms.over_step) v1_ -= at.v0;
  if (terms.carry > 0) {
    system_.difference(*at.before_q, at.q0, Chart::rotation_vector, past_);
    v1_ -= (terms.carry / terms.tau) * past_;
    base_ += terms.carry * (at.v0 - *at.before_v);
  }
  velocity_ = terms.over_step ? VecX(delta_ / step.h) : takes_v(formula) ? at.v0 : v1_;
  forces_and_rows(formula, step, at.q0, at.q1, velocity_, true, r, C);
  product_ = (v1_ - base_) / terms.tau;
  system_.apply_mass(product_, product_);
  r += product_;
}

void ImplicitEquations::residual(Formula formula, const StepRecord& step, VecX& r, VecX& C) {
  residual(formula, step, {step.from.q, step.from.v, step.to.q, &step.before.q, &step.before.v}, r,
           C);
}

}  // namespace taut::detail
