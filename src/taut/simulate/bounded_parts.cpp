// The parts of a step with stops, strings, motors and friction: each to the next event.
#include <algorithm>
#include <cmath>

#include "taut/model/scale.hpp"
#include "taut/simulate/bounded_step.hpp"

namespace taut {
namespace {

constexpr double shortest = 1e-2;      // of a step: parts that are left to every method
constexpr double other_motion = 0.25;  // of the energy: in what changed within a part
constexpr double visible = 1e-2;       // of the scene: how far it leaves a straight course
constexpr double smooth = 1e-6;        // of the velocity, or its change: the bridge's error
constexpr double nudged = 5e-3;        // of a step of high order: its end is moved by the bridge

bool failed(const StepReport& step, const State& end) {
  return step.status == StepStatus::not_converged || !end.q.allFinite() || !end.v.allFinite();
}

}  // namespace

// A short part is left to a method that divides nothing by its length, if it follows the forces:
// nothing is stiff in so short a time, but it may be stiffer than anything.
bool BoundedStep::can_bridge(const System& system, const Method& method, double length,
                             Workspace& w) {
  if (method.order() >= 5) return false;  // explicit itself
  State whole = from_, halves = from_;
  bridge().step(system, length, whole, w);
  for (int half = 0; half < 2; ++half) bridge().step(system, 0.5 * length, halves, w);
  const double difference = (whole.v - halves.v).norm();
  return difference <= smooth * halves.v.norm() ||
         difference <= smooth * (halves.v - from_.v).norm();
}

Method& BoundedStep::bridge() {
  if (!bridge_) bridge_ = make_method("rk4_projected", {});
  return *bridge_;
}

bool BoundedStep::is_short(double length) const { return length < shortest * full_length_; }

StepReport BoundedStep::advance(const System& system, Method& method, double length, State& state,
                                Workspace& w) {
  state = from_;
  w.mean.begin(state.v);
  const StepReport report = (is_bridged_ ? *bridge_ : method).step(system, length, state, w);
  w.mean.end(state.v, length);
  return report;
}

// The least of the cubic through gaps and rates at both ends. A stop that just let go, too, may be
// hit again and leave again.
double BoundedStep::dip(double length, const Workspace& w) const {
  const std::vector<Mode>& modes = w.modes.modes();
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const Mode& mode = modes[i];
    if (!LawRows::is_limit(mode) || mode.is_equation) continue;
    const LawRows::Stop at = laws_.stop(mode);
    if (!(at.rate > 0)) continue;
    const double a = rate_[i] * length, b = at.rate * length, rise = at.gap - gap_[i];
    // p(s) = gap + a s + c s² + d s³ on [0, 1]
    const double c = 3 * rise - 2 * a - b, d = a + b - 2 * rise;
    const double s = -a / (c + std::sqrt(c * c - 3 * a * d));  // where it has no least: NaN
    if (s > 0 && s < 1 && gap_[i] + s * (a + s * (c + s * d)) < -2 * laws_.no_gap(i))
      return s * length;
  }
  return 0;
}

bool BoundedStep::turns(const System& system, const State& end, double length, const Workspace& w) {
  const std::vector<Mode>& modes = w.modes.modes();
  const bool acts = std::any_of(modes.begin(), modes.end(), [](const Mode& mode) {
    return !LawRows::is_timed(mode) && mode.is_equation;
  });
  if (!acts) return false;
  bend_ = end.v - from_.v;
  if (!(relative_displacement(system, bend_, length_scale(system, w.pattern, end.q)) * length >
        visible))
    return false;
  const double most = std::max(system.kinetic_energy(end.v), system.kinetic_energy(from_.v));
  return system.kinetic_energy(bend_) > other_motion * most;
}

/// Where the gap of an open stop closes within (0, outside], by the cubic through its values and
/// rates at both ends.
double BoundedStep::closing_time(const Margin& at, double outside) const {
  const double unit = laws_.no_gap(at.mode), rise = at.value - gap_[at.mode] / unit;
  const double a = rate_[at.mode] / unit * outside, b = at.rate * outside;
  const double c = 3 * rise - 2 * a - b, d = a + b - 2 * rise;
  double before = 0, after = 1;
  for (int i = 0; i < 50; ++i) {
    const double s = 0.5 * (before + after);
    (gap_[at.mode] / unit + s * (a + s * (c + s * d)) > 0 ? before : after) = s;
  }
  return after * outside;
}

// Between the start, before which nothing has happened, and the time `outside` of `at_end`: by
// Newton's method where the rate of the margin is known, else by regula falsi (Illinois).
BoundedStep::Located BoundedStep::locate(const System& system, Method& method, double outside,
                                         const Margin& at_end, State& state, Workspace& w,
                                         StepReport& report) {
  const double length = outside;
  double inside = 0;
  std::size_t watched = at_end.mode;
  const Margin at_start = margin(system, from_, w, report, watched);
  if (at_start.value <= 0) {  // wrong from the start
    state = from_;
    return {0, at_start.mode, {}};
  }
  double weight_in = at_start.value, weight_out = at_end.value;
  double proposed = at_end.rate != 0 ? closing_time(at_end, outside) : 0;
  Located found{outside, at_end.mode, {}};
  int kept = 0;
  double reached = 0;  // s, at whose end `state` is
  for (int i = 0; i < 80; ++i) {
    const double share = weight_in / (weight_in - weight_out);
    found.part = inside + (outside - inside) * (std::isfinite(share) ? share : 0.5);
    if (proposed > inside && proposed < outside) found.part = proposed;
    if (i % 8 == 7 || !(found.part > inside && found.part < outside))
      found.part = 0.5 * (inside + outside);
    // Explicit methods of high order do in many stages what four do as well over so short a way.
    const bool is_nudged = i > 0 && method.order() >= 5 && found.part == proposed &&
                           std::abs(found.part - reached) <= nudged * length;
    if (is_nudged) {
      add_part(found.step, bridge().step(system, found.part - reached, state, w));
    } else {
      report.add(found.step);  // that of the last round was in vain
      found.step = advance(system, method, found.part, state, w);
    }
    reached = found.part;
    if (failed(found.step, state)) break;
    const Margin at = margin(system, state, w, report, watched);
    found.mode = watched = at.mode;
    const bool is_limit = LawRows::is_limit(w.modes.modes()[at.mode]);
    const double enough = !at.may_be_above ? 30 : is_limit ? 0.5 * deepest : 0.5;
    const bool is_near = at.value >= -enough && at.value <= (at.may_be_above ? enough : 0);
    if (is_near || (outside - inside <= 1e-14 * length && at.value <= 0)) break;
    proposed = at.rate < 0 ? found.part - at.value / at.rate : 0;
    if (at.value > 0) {
      inside = found.part;
      weight_in = at.value;
      weight_out = kept == 1 ? 0.5 * weight_out : weight_out;
      kept = 1;
    } else {
      outside = found.part;
      weight_out = at.value;
      weight_in = kept == -1 ? 0.5 * weight_in : weight_in;
      kept = -1;
    }
  }
  return found;
}

/// One part: to the first event, or to the end where there is none.
BoundedStep::Located BoundedStep::part(const System& system, Method& method, double h,
                                       double length, bool look_for_events, State& state,
                                       Workspace& w, StepReport& report) {
  is_bridged_ = length < shortest * h && can_bridge(system, method, length, w);
  StepReport done = advance(system, method, length, state, w);
  const auto accept = [&]() -> Located {
    // That of a part says nothing about the whole step.
    report.has_estimate = done.has_estimate && !is_bridged_ && length >= (1 - 1e-9) * h;
    return {length, no_event, done};
  };
  if (failed(done, state)) return accept();
  Margin first = margin(system, state, w, done);
  if (!look_for_events) {
    if (first.value < 0 && done.status == StepStatus::ok) {
      done.status = StepStatus::not_converged;
      if (LawRows::is_limit(w.modes.modes()[first.mode]) && first.may_be_above)
        done.residual = std::max(done.residual, -first.value * LawRows::no_relative_gap);
    }
    return accept();
  }
  while (first.value >= 0 && turns(system, state, length, w)) {
    report.add(done);
    is_divided_ = true;
    length *= 0.5;
    done = advance(system, method, length, state, w);
    if (failed(done, state)) return accept();
    first = margin(system, state, w, done);
  }
  double until = length;
  if (first.value >= 0) {
    const double inside = dip(length, w);
    if (!(inside > 0)) return accept();
    report.add(advance(system, method, inside, state, w));
    const Margin there = margin(system, state, w, report);
    if (there.value >= 0) {
      report.add(advance(system, method, length, state, w));
      return accept();
    }
    first = there;
    until = inside;
  }
  // The event is looked for in parts of any length.
  report.add(done);
  report.regularized = report.regularized || done.regularized;
  if (drop_drift(system, from_, w, report)) {
    length = until;
    done = advance(system, method, length, state, w);
    if (failed(done, state)) return accept();
    first = margin(system, state, w, done);
    if (first.value >= 0) return accept();
  }
  Located event = locate(system, method, until, first, state, w, report);
  if (!is_bridged_ && event.part > 0 && event.part < shortest * h && shortest * h < until &&
      can_bridge(system, method, shortest * h, w)) {
    is_bridged_ = true;
    length = shortest * h;
    done = advance(system, method, length, state, w);
    if (failed(done, state)) return accept();
    first = margin(system, state, w, done);
    if (first.value >= 0) return accept();
    report.add(event.step);
    report.add(done);
    event = locate(system, method, length, first, state, w, report);
  }
  return event;
}

}  // namespace taut
