#include <algorithm>
#include <cmath>

#include "taut/simulate/run_loop_internal.hpp"

namespace taut::detail {
namespace {

// Of a step. Methods that take velocities from positions divide what is left of constraints by its
// length: a shorter last one would make motion of it, so it is a part of the one before.
constexpr double shortest_last = 0.01;
constexpr int most_jumps = 16;  // of drives and forces, in a step

}  // namespace

long step_count(double duration, double h) {
  return std::max(1L, static_cast<long>(std::ceil(duration / h * (1 - 1e-12) - shortest_last)));
}

double last_step(double duration, double h) {
  const double rest = duration - static_cast<double>(step_count(duration, h) - 1) * h;
  const double roundoff = 1e-9 * h + 1e-12 * duration;
  return std::abs(rest - h) > roundoff ? rest : h;
}

void Run::plan_fixed_steps() {
  progress_.steps = step_count(options_.duration, options_.step);
  probe_.emplace(system_, method_, size_, progress_.steps);
}

bool Run::fixed_steps(const Pause& pause) {
  const double h = options_.step, last = last_step(options_.duration, h);
  StepProbe& probe = *probe_;
  while (progress_.step < progress_.steps && may_go_on()) {
    if (is_due(pause)) return true;
    const bool is_last = progress_.step + 1 == progress_.steps;
    const bool is_cut = is_last && last != h;
    probe.before(progress_.step, report_.cost.linear_solves, state_, workspace_);
    const bool was_plain =
        is_cut ? take_fixed_step(last, start_time_ + options_.duration) : next_fixed_step(h);
    if (was_plain) probe.after(state_);
    if (is_finite(state_) &&
        (progress_.step % options_.record_every == 0 || is_last || !may_go_on()))
      recording_.add(state_);
    ask(is_last);
  }
  probe.finish(std::max(size_, evidence_.travel), evidence_);
  return false;
}

void Run::begin_fixed_steps() {
  report_.step = options_.step;
  activation_.start(state_, workspace_);
  evidence_.at_start = find_overlaps(system_, state_);
  policy_.start(system_, state_, workspace_);
}

// The time from the first step of this length, so that round-off does not add up.
bool Run::next_fixed_step(double h) {
  if (h != equal_.length) equal_ = {h, state_.time, 0};
  return take_fixed_step(h, equal_.start + static_cast<double>(++equal_.count) * h);
}

bool Run::take_fixed_step(double h, double end) {
  bool is_whole = true;
  const StepReport step = fixed_step(h, is_whole);
  ++progress_.step;
  state_.time = progress_.time = end;
  report_.steps = progress_.step;
  report_.time = end;
  const bool was_plain = is_whole && step.status == StepStatus::ok && step.trace.empty() &&
                         step.impacts == 0 && is_finite(state_);
  judge(step);
  return was_plain;
}

// A jump is settled just behind it; the method does what lies before and after.
StepReport Run::fixed_step(double h, bool& is_whole) {
  const double end = state_.time + h;
  auto jump = activation_.find_jump(state_, h, workspace_);
  is_whole = !jump;
  if (!jump) return do_step(h, Halving::as_needed);

  StepReport report;
  const auto go_to = [&](double until) {
    if (until - state_.time <= sliver * h) return;
    add_part(report, do_step(until - state_.time, Halving::as_needed));
  };
  for (int jumps = 0; jump && jumps < most_jumps; ++jumps) {
    go_to(jump->before);
    state_.time = jump->after;
    if (!jump->is_of_force) {
      const StepReport settled = activation_.settle(state_, workspace_);
      if (settled.status == StepStatus::compromise) report.status = settled.status;
      report.regularized = report.regularized || settled.regularized;
    }
    jump.reset();
    if (end - state_.time > sliver * h)
      jump = activation_.find_jump(state_, end - state_.time, workspace_);
  }
  go_to(end);
  return report;
}

}  // namespace taut::detail
