#include <fmt/core.h>

#include <cmath>

#include "taut/methods/projection.hpp"
#include "taut/simulate/run_loop_internal.hpp"

namespace taut::detail {
namespace {

constexpr double smallest_step = 1e-12;  // of the duration
constexpr double same_time = 1e-12;      // of the duration

}  // namespace

// A first guess, which the controller corrects: a part of the time in which the motion changes
// much, the smaller the tolerance the smaller, as the method's order says.
double Run::first_step() {
  StepReport unused;
  VecX lambda, acceleration;
  reactions(system_, state_, recording_.workspace(), lambda, unused, &acceleration);
  norm_.emplace(system_, state_, acceleration, extent_, options_.duration);
  const double part = 0.1 * std::pow(options_.tolerance, 1.0 / (method_.order() + 1));
  return std::min(options_.duration, part * norm_->time_scale());
}

// With an estimate of its own a method takes one step. Without, by step doubling: the error of two
// steps of h/2 is the difference to one of h, divided by 2^p − 1.
Run::Attempt Run::attempt(double h) {
  Attempt made;
  before_ = state_;
  modes_before_ = workspace_.modes.modes();
  made.step = do_step(h, Halving::never);
  const auto failed = [&] {
    if (!is_finite(state_)) made.step.status = StepStatus::not_finite;
    return (made.step.status == StepStatus::not_converged && !is_done(method_, made.step)) ||
           made.step.status == StepStatus::not_finite;
  };
  if (failed() || policy_.bounded().was_divided()) return made;
  made.order = method_.order();
  if (made.step.has_estimate) {
    made.error = (*norm_)(workspace_.error_q, workspace_.error_v) / options_.tolerance;
  } else {
    if (method_.has_memory()) return made;  // its steps cannot be compared with each other
    whole_ = state_;
    go_back();
    made.step.work = made.step.impact_energy = made.step.friction_energy = made.step.impacts = 0;
    for (int half = 0; half < 2; ++half) {
      const StepReport part = do_step(0.5 * h, Halving::never);
      add_part(made.step, part);
      if (failed()) return made;
    }
    position_difference(system_, whole_.q, state_.q, error_q_);
    error_v_ = whole_.v - state_.v;
    drop_illegal_part(error_v_);
    const double divisor = std::exp2(made.order) - 1;
    made.error = (*norm_)(error_q_, error_v_) / (divisor * options_.tolerance);
    ++made.order;
  }
  made.ok = std::isfinite(made.error);
  return made;
}

void Run::go_back() {
  state_ = before_;
  workspace_.modes.restore(modes_before_);
  events_.clear();
}

// Of a velocity error only what the constraints allow counts. Methods that correct drift by
// velocity have the rest at a size of h whatever they do (implicit1: J v = −C/h), and take it back
// in the next step; with it they would creep.
void Run::drop_illegal_part(VecX& error) {
  Workspace& w = recording_.workspace();
  StepReport unused;
  w.linearize(system_, state_.q, state_.time, w.end);
  w.end.C_t.setZero();
  project_velocity(error, w, unused);
}

void Run::start_automatic_steps() {
  interval_ = options_.record_interval > 0 ? options_.record_interval : 1e-3 * options_.duration;
  RunReport::Control& control = report_.control;
  control.automatic = true;
  control.tolerance = options_.tolerance;
  activation_.start(state_, workspace_);
  evidence_.at_start = find_overlaps(system_, state_);
  policy_.start(system_, state_, workspace_);
  recording_.add(state_);
  next_step_ = first_step();
}

bool Run::automatic_steps(const Pause& pause) {
  const double end = start_time_ + options_.duration;
  RunReport::Control& control = report_.control;
  double& h = next_step_;
  while (state_.time < end && may_go_on()) {
    if (is_due(pause)) return true;
    const double left = end - state_.time;
    double now = h;
    if (left < 1.01 * h)
      now = left;  // no sliver at the end
    else if (left < 2 * h)
      now = 0.5 * left;
    if (const auto jump = activation_.find_jump(state_, now, workspace_)) {
      if (jump->before - state_.time <= sliver * now) {
        pass(*jump);
        continue;
      }
      now = jump->before - state_.time;
    }
    const Attempt made = attempt(now);
    if (!made.step.has_estimate && method_.has_memory()) {
      go_back();
      diverged(
          "the method cannot choose its steps: it has no estimate of its error, and its steps "
          "depend on earlier ones");
      break;
    }
    if (made.ok && !controller_) controller_.emplace(made.order);
    if (!made.ok || made.error > 1) {
      go_back();
      ++control.rejected;
      report_.cost.add(made.step);
      h = made.ok ? controller_->rejected(now, made.error) : 0.5 * now;
      if (!made.ok && controller_) controller_->failed();
      if (h < smallest_step * options_.duration)
        diverged(made.ok ? fmt::format("a step of {:.3g} s still has an estimated error of {:.3g}, "
                                       "above the tolerance {:.3g}",
                                       now, made.error * options_.tolerance, options_.tolerance)
                         : fmt::format("a step of {:.3g} s still fails: {}", now,
                                       status_text(made.step.status)));
      ask(false);
      continue;
    }
    ++control.accepted;
    if (left - now > same_time * options_.duration || control.accepted == 1) {
      control.smallest = control.accepted == 1 ? now : std::min(control.smallest, now);
      control.largest = std::max(control.largest, now);
    }
    if (left - now <= same_time * options_.duration) state_.time = end;
    // A step cut short says nothing against the longer one.
    const double next = controller_->accepted(now, made.error);
    h = now < h ? std::max(h, next) : next;
    take(made.step, made.step.has_estimate && made.step.impacts == 0);
  }
  report_.step =
      progress_.step > 0 ? (progress_.time - start_time_) / static_cast<double>(progress_.step) : 0;
  return false;
}

void Run::pass(const Activation::Jump& jump) {
  before_ = state_;
  state_.time = jump.after;
  StepReport step;
  if (!jump.is_of_force) {
    const StepReport settled = activation_.settle(state_, workspace_);
    step.regularized = settled.regularized;
    if (settled.status == StepStatus::compromise) step.status = settled.status;
  }
  take(step, false);
}

void Run::take(const StepReport& step, bool whole_step_of_method) {
  ++progress_.step;
  progress_.time = state_.time;
  norm_->see(state_);
  if (is_finite(state_)) record_until(state_.time, whole_step_of_method);
  judge(step);
  const double end = start_time_ + options_.duration;
  ask(state_.time >= end);
}

// What falls into the step from before_ to state_.
void Run::record_until(double time, bool whole_step_of_method) {
  if (!recording_.is_wanted()) return;
  const double eps = same_time * options_.duration, end = start_time_ + options_.duration;
  bool hermite_is_set = false;
  for (;; ++next_record_) {
    const double at = std::min(end, start_time_ + static_cast<double>(next_record_) * interval_);
    if (at > time + eps) return;
    if (at >= time - eps) {
      recording_.add(state_);
      if (at >= end) return;
      continue;
    }
    if (!whole_step_of_method || !method_.interpolate(system_, at, between_)) {
      if (!hermite_is_set)
        interpolation_.set(system_, before_, state_, method_.order() >= 4, recording_.workspace());
      hermite_is_set = true;
      interpolation_.at(system_, at, between_);
    }
    StepReport unused;
    project(system_, between_, recording_.workspace(), unused);
    metrics_.compare(between_);
    recording_.add(between_);
  }
}

}  // namespace taut::detail
