#include "taut/simulate/many_limits.hpp"

#include <algorithm>
#include <cmath>

#include "taut/methods/projection.hpp"

namespace taut {
namespace {

constexpr int passes_for_limits = 3;
constexpr int most_passes = 24;        // of a step in all
constexpr int most_switches = 3;       // of a row in a step; afterwards it stays as it is
constexpr double exceeded = 1e-3;      // of the row's length: not left to the next step
constexpr double contradicted = 0.01;  // of the largest λ: a pull not left to the next step

}  // namespace

// A motor that is off its speed exerts its largest torque: as an equation, it would reach its speed
// at once under methods that project velocities, whatever impulse that takes.
void ManyLimits::guess(const State& state, Workspace& w) {
  std::vector<Mode>& modes = w.modes.modes();
  switches_.assign(modes.size(), 0);
  slip_.assign(modes.size(), 0);
  for (std::size_t i = 0; i < modes.size(); ++i) {
    Mode& mode = modes[i];
    if (LawRows::is_timed(mode)) {
      LawRows::set(mode, !LawRows::is_over(mode, state.time), 0, w);
      continue;
    }
    mode.last = RowModes::continued(mode, laws_.value(mode));
    if (LawRows::is_limit(mode)) {
      const LawRows::Stop at = laws_.stop(mode);
      mode.target = at.sign > 0 ? mode.law.lower : mode.law.upper;
      LawRows::set(mode, at.gap <= 0 || mode.acted, 0, w);
      continue;
    }
    slip_[i] = laws_.slip(mode);
    const double most = slip_[i] > 0 ? mode.law.upper : mode.law.lower;
    if (std::abs(slip_[i]) > laws_.no_rate(i) && std::isfinite(most)) {
      LawRows::set(mode, false, most, w);
    } else if (!mode.has_start || !mode.is_equation) {
      LawRows::set(mode, true, 0, w);
    }
    laws_.start(mode, state.time);
  }
}

bool ManyLimits::has_new_limit(const Workspace& w) const {
  const std::vector<Mode>& modes = w.modes.modes();
  return std::any_of(modes.begin(), modes.end(), [](const Mode& mode) {
    return LawRows::is_limit(mode) && mode.is_equation && !mode.acted;
  });
}

bool ManyLimits::revise_limit(Mode& mode, double largest_lambda, Workspace& w) {
  const double sign = mode.target == mode.law.lower ? 1 : -1;
  if (mode.is_equation) {
    if (sign * w.lambda[mode.row] <= contradicted * largest_lambda) return false;
    LawRows::set(mode, false, 0, w);  // it would have to pull
    return true;
  }
  const LawRows::Stop at = laws_.stop(mode);
  const double length = w.pattern.natural_length[static_cast<std::size_t>(mode.row)];
  if (at.gap >= -exceeded * length) return false;
  mode.target = at.sign > 0 ? mode.law.lower : mode.law.upper;
  LawRows::set(mode, true, 0, w);
  return true;
}

bool ManyLimits::revise_motor(std::size_t i, Workspace& w) {
  Mode& mode = w.modes.modes()[i];
  const double lambda = w.lambda[mode.row];
  if (mode.is_equation) {
    if (lambda <= mode.law.upper && lambda >= mode.law.lower) return false;
    // Where it slips already, that tells the side: λ is that of an acceleration in some methods.
    const bool slips = std::abs(slip_[i]) > laws_.no_rate(i) && switches_[i] < 2;
    const bool is_fast = slips ? slip_[i] > 0 : lambda > 0;
    LawRows::set(mode, false, is_fast ? mode.law.upper : mode.law.lower, w);
    return true;
  }
  // At its upper bound it brakes as much as it can: right while it is too fast.
  const double fast = laws_.slip(mode), nothing = laws_.no_rate(i);
  const bool is_right = mode.held == mode.law.upper ? fast >= -nothing : fast <= nothing;
  if (is_right || !(mode.law.upper > mode.law.lower)) return false;
  LawRows::set(mode, true, 0, w);
  return true;
}

bool ManyLimits::revise(Workspace& w, int pass) {
  const double largest = w.lambda.lpNorm<Eigen::Infinity>();
  bool changed = false;
  for (std::size_t i = 0; i < w.modes.modes().size(); ++i) {
    Mode& mode = w.modes.modes()[i];
    if (LawRows::is_timed(mode) || switches_[i] > most_switches) continue;
    if (LawRows::is_limit(mode) && pass >= passes_for_limits) continue;
    const bool revised =
        LawRows::is_limit(mode) ? revise_limit(mode, largest, w) : revise_motor(i, w);
    if (revised) ++switches_[i];
    changed = changed || revised;
  }
  return changed;
}

StepReport ManyLimits::pivot(const System& system, Method& method, double h, State& state,
                             Workspace& w) {
  StepCost all;
  for (int pass = 0;; ++pass) {
    state = from_;
    StepReport report = method.step(system, h, state, w);
    for (const Mode& mode : w.modes.modes())
      if (!mode.is_equation) w.lambda[mode.row] = mode.held;
    all.add(report);
    static_cast<StepCost&>(report) = all;
    if (!state.q.allFinite() || !state.v.allFinite()) return report;
    // A step that failed may have failed because of a wrong guess.
    laws_.look(system, state, w);
    if (!revise(w, pass)) {
      if (pass > 0) w.trace.add({StepEvent::Kind::repeated, from_.time, static_cast<double>(pass)});
      return report;
    }
    if (pass == most_passes) {  // contradictions are left: say so, a shorter step may have none
      if (report.status == StepStatus::ok) report.status = StepStatus::not_converged;
      w.trace.add({StepEvent::Kind::repeated, from_.time, static_cast<double>(pass)});
      return report;
    }
  }
}

StepReport ManyLimits::step(const System& system, Method& method, double h, State& state,
                            Workspace& w) {
  laws_.look(system, state, w);
  laws_.measure(system, state, h, w);
  guess(state, w);
  from_ = state;
  StepReport report = pivot(system, method, h, state, w);
  // Methods of higher order take the velocity at the end from positions over the step, as if
  // nothing had happened in it, and what became taut would bounce.
  if (method.order() > 1 && has_new_limit(w))
    project_velocity(system, state.time, state.q, state.v, w, report);
  for (Mode& mode : w.modes.modes()) {
    const bool acts = LawRows::is_limit(mode) && mode.is_equation;
    report.active_limits += acts;
    const double sign = mode.target == mode.law.lower ? 1 : -1;
    mode.acted = acts && sign * w.lambda[mode.row] < 0;  // a weak pull: it lets go in the next step
  }
  laws_.look(system, state, w);
  for (Mode& mode : w.modes.modes()) mode.last = RowModes::continued(mode, laws_.value(mode));
  return report;
}

}  // namespace taut
