#include "taut/simulate/bounded_step.hpp"

#include <algorithm>
#include <cmath>

#include "taut/methods/projection.hpp"

namespace taut {
namespace {

constexpr double touching = 1e-9;      // gap (m or rad) that counts as none
constexpr double lingering = 1e-3;     // the same for a stop that acted in the last step
constexpr double located = 1e-11;      // gap at which a stop counts as reached
constexpr int most_impacts = 50;       // in a step; afterwards nothing bounces any more
constexpr int all_at_once = 6;         // passes in which all rows are revised at once
constexpr int most_passes = 24;        // of a step in all
constexpr int most_switches = 3;       // of a row in a step; afterwards it stays as it is
constexpr double slow = 1e-6;          // m/s or rad/s: no impact, and no slip
constexpr double slow_rebound = 1e-4;  // m/s or rad/s: not worth another impact

// Of limits that are not located:
constexpr int passes_for_many = 3;     // of a step
constexpr double exceeded = 1e-3;      // of the row's length: not left to the next step
constexpr double contradicted = 0.01;  // of the largest λ: a pull not left to the next step

bool is_limit(const RowModes::Mode& mode) { return mode.law.kind == RowLaw::Kind::limit; }
bool is_located(const RowModes::Mode& mode) { return is_limit(mode) && mode.law.is_located; }
/// It is an equation for some time.
bool is_timed(const RowModes::Mode& mode) { return mode.law.kind == RowLaw::Kind::equation; }
bool is_over(const RowModes::Mode& mode, double time) {
  return time >= mode.law.until - 1e-12 * (1 + std::abs(time));
}

}  // namespace

void add_part(StepReport& whole, const StepReport& part) {
  whole.add(part);
  whole.halvings = std::max(whole.halvings, part.halvings);
  whole.regularized = whole.regularized || part.regularized;
  whole.residual = std::max(whole.residual, part.residual);
  whole.work += part.work;
  whole.impacts += part.impacts;
  whole.impact_energy += part.impact_energy;
  whole.active_limits = std::max(whole.active_limits, part.active_limits);
  if (part.status != StepStatus::ok) whole.status = part.status;
}

// C, J v and C_t of the rows themselves, where the state is now.
void BoundedStep::look(const System& system, const State& state, Workspace& w) {
  if (raw_.C.size() != w.pattern.rows()) raw_.resize(w.pattern);
  pose_.set(system, state.q);
  raw_.linearize(system, w.pattern, pose_, state.time);
  multiply(w.pattern, raw_.J, state.v, rate_);
  if (active_.size() != w.modes.modes().size()) active_.assign(w.modes.modes().size(), 0);
}

BoundedStep::Stop BoundedStep::stop(const Mode& mode) const {
  const double value = RowModes::continued(mode, raw_.C[mode.row]), rate = rate_[mode.row];
  const double above = value - mode.law.lower, below = mode.law.upper - value;
  return above < below ? Stop{above, rate, Side::lower} : Stop{below, -rate, Side::upper};
}

void BoundedStep::set(Mode& mode, bool is_equation, double held, Workspace& w) const {
  mode.is_equation = is_equation;
  mode.held = held;
  if (!is_equation) w.lambda[mode.row] = held;
}

void BoundedStep::touch(const System& system, const State& state, Workspace& w) {
  w.adapt(system);
  if (w.modes.empty()) return;
  look(system, state, w);
  for (Mode& mode : w.modes.modes()) {
    if (is_timed(mode)) {
      set(mode, !is_over(mode, state.time), 0, w);
      continue;
    }
    if (!is_limit(mode)) {  // a motor is too weak to set anything right at once
      set(mode, false, 0, w);
      mode.has_start = false;
      continue;
    }
    const Stop at = stop(mode);
    set(mode, at.gap < -touching, 0, w);
    mode.target = at.side == Side::lower ? mode.law.lower : mode.law.upper;
  }
}

// Which rows are equations, as far as the state tells. A motor that is off its speed exerts its
// largest torque: as an equation, it would reach its speed at once under methods that project
// velocities, whatever impulse that takes.
void BoundedStep::guess(const System& system, const State& state, Workspace& w) {
  touching_.assign(w.modes.modes().size(), 0);
  switches_.assign(w.modes.modes().size(), 0);
  slip_.assign(w.modes.modes().size(), 0);
  WJ_.resize(raw_.J.size());
  system.apply_inverse_mass(w.pattern.blocks, raw_.J, WJ_);
  for (std::size_t i = 0; i < touching_.size(); ++i) {
    Mode& mode = w.modes.modes()[i];
    mode.mobility = 0;
    for (int b = w.pattern.first_block[mode.row]; b < w.pattern.first_block[mode.row + 1]; ++b) {
      const JacobianBlock& block = w.pattern.blocks[b];
      mode.mobility +=
          raw_.J.segment(block.value, block.size).dot(WJ_.segment(block.value, block.size));
    }
    if (is_timed(mode)) {
      set(mode, !is_over(mode, state.time), 0, w);
      continue;
    }
    if (!is_limit(mode)) {
      slip_[i] = rate_[mode.row] + raw_.C_t[mode.row];
      const double most = slip_[i] > 0 ? mode.law.upper : mode.law.lower;
      if (std::abs(slip_[i]) > slow && std::isfinite(most)) {
        set(mode, false, most, w);
      } else if (!mode.has_start || !mode.is_equation) {
        set(mode, true, 0, w);
      }
      mode.last = RowModes::continued(mode, raw_.C[mode.row]);
      mode.target = mode.last;
      mode.has_start = true;
      mode.start_time = state.time;
      mode.start_rate = raw_.C_t[mode.row];
      continue;
    }
    const Stop at = stop(mode);
    mode.last = RowModes::continued(mode, raw_.C[mode.row]);
    mode.target = at.side == Side::lower ? mode.law.lower : mode.law.upper;
    if (mode.law.is_located) {
      const bool rests = at.gap <= touching && at.rate <= slow_rebound;
      touching_[i] = rests || (active_[i] && at.gap <= lingering);
    } else {
      touching_[i] = at.gap <= 0 || active_[i];
    }
    set(mode, touching_[i] != 0, 0, w);
  }
}

// v⁺ = v − W Jᵀμ with J v⁺ + C_t = 0, and for stops J v⁺ = −e J v; μ of a stop only pushes. Motors
// are too weak for impulses.
void BoundedStep::impact(const System& system, State& state, Workspace& w, StepReport& report) {
  std::vector<Mode>& modes = w.modes.modes();
  const std::vector<Mode> before = modes;
  const double energy = system.kinetic_energy(state.v);
  const bool may_bounce = report.impacts < most_impacts;
  for (Mode& mode : modes) {
    if (is_timed(mode)) continue;
    if (!is_located(mode)) {
      set(mode, false, 0, w);
      continue;
    }
    const Stop at = stop(mode);
    mode.target = at.side == Side::lower ? mode.law.lower : mode.law.upper;
    set(mode, at.gap <= touching && at.rate < 0, 0, w);
  }
  for (std::size_t pass = 0; pass < 2 * modes.size() + 2; ++pass) {
    w.linearize(system, state.q, state.time, w.end);
    w.J(w.end, state.v, w.Jv);
    w.Jv += w.end.C_t;
    for (const Mode& mode : modes) {
      if (!mode.is_equation) continue;
      const double rebound = mode.law.restitution * rate_[mode.row];
      if (may_bounce && std::abs(rebound) > slow_rebound) w.Jv[mode.row] += rebound;
    }
    w.factor(w.end);
    w.solve(w.Jv, w.rhs, report);
    w.WJt(w.end, w.rhs, w.correction);
    rest_ = state.v - w.correction;
    // Stops that pull let go; those that are still approached push.
    bool settled = true;
    multiply(w.pattern, raw_.J, rest_, w.Jv);
    for (Mode& mode : modes) {
      if (!is_located(mode)) continue;
      const Stop at = stop(mode);
      const double sign = at.side == Side::lower ? 1 : -1;
      const double scale = 1e-9 * (1 + w.rhs.lpNorm<Eigen::Infinity>());
      if (mode.is_equation ? sign * w.rhs[mode.row] > scale
                           : at.gap <= touching && sign * w.Jv[mode.row] < -1e-9) {
        set(mode, !mode.is_equation, 0, w);
        settled = false;
      }
    }
    if (settled) break;
  }
  state.v = rest_;
  ++report.impacts;
  report.impact_energy += system.kinetic_energy(state.v) - energy;
  modes = before;
}

bool BoundedStep::has_new_limit(const Workspace& w) const {
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const Mode& mode = w.modes.modes()[i];
    if (is_limit(mode) && !mode.law.is_located && mode.is_equation && !active_[i]) return true;
  }
  return false;
}

// What the last solve contradicts is changed; false where it contradicts nothing.
bool BoundedStep::revise(Workspace& w, int pass) {
  const bool one_at_a_time = pass > all_at_once;
  const double largest = w.lambda.lpNorm<Eigen::Infinity>();
  bool changed = false;
  for (std::size_t i = 0; i < w.modes.modes().size(); ++i) {
    Mode& mode = w.modes.modes()[i];
    const double lambda = w.lambda[mode.row];
    if (changed && one_at_a_time) break;
    if (is_timed(mode) || switches_[i] > most_switches) continue;
    if (is_limit(mode) && !mode.law.is_located && pass >= passes_for_many) continue;
    const bool changed_before = changed;
    changed = false;
    if (is_limit(mode)) {
      const bool located = mode.law.is_located;
      const double sign = mode.target == mode.law.lower ? 1 : -1;
      const double allowed =
          located ? touching
                  : exceeded * w.pattern.natural_length[static_cast<std::size_t>(mode.row)];
      if (mode.is_equation && sign * lambda > (located ? 1e-9 : contradicted) * largest) {
        set(mode, false, 0, w);  // it would have to pull
        changed = true;
      } else if (!mode.is_equation && (touching_[i] || !located)) {
        const Stop at = stop(mode);
        if (at.gap < -allowed) {  // let go too early, or not yet there
          mode.target = at.side == Side::lower ? mode.law.lower : mode.law.upper;
          set(mode, true, 0, w);
          changed = true;
        }
      }
    } else if (mode.is_equation) {
      // Where it slips already, that tells the side: λ is that of an acceleration in some methods.
      const bool is_fast =
          std::abs(slip_[i]) > slow && switches_[i] < 2 ? slip_[i] > 0 : lambda > 0;
      if (lambda > mode.law.upper || lambda < mode.law.lower) {
        set(mode, false, is_fast ? mode.law.upper : mode.law.lower, w);
        changed = true;
      }
    } else {
      // At its upper bound it brakes as much as it can: right while it is too fast.
      const double fast = rate_[mode.row] + raw_.C_t[mode.row];
      const bool right = mode.held == mode.law.upper ? fast >= -slow : fast <= slow;
      if (!right && mode.law.upper > mode.law.lower) {
        set(mode, true, 0, w);
        changed = true;
      }
    }
    if (changed) ++switches_[i];
    changed = changed || changed_before;
  }
  return changed;
}

StepReport BoundedStep::pivot(const System& system, Method& method, double h, State& state,
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
    look(system, state, w);
    if (!revise(w, pass)) return report;
    if (pass == most_passes) {  // contradictions are left: say so, a shorter step may have none
      if (report.status == StepStatus::ok) report.status = StepStatus::not_converged;
      return report;
    }
  }
}

const RowModes::Mode* BoundedStep::passed(const Workspace& w) const {
  const Mode* farthest = nullptr;
  double gap = -touching;
  for (std::size_t i = 0; i < w.modes.modes().size(); ++i) {
    const Mode& mode = w.modes.modes()[i];
    if (!is_located(mode) || mode.is_equation || touching_[i]) continue;
    if (const Stop at = stop(mode); at.gap < gap) {
      gap = at.gap;
      farthest = &mode;
    }
  }
  return farthest;
}

// The part of h after which the first stop is reached: regula falsi (Illinois) on the least gap.
double BoundedStep::reach(const System& system, Method& method, double h, State& state,
                          Workspace& w, StepReport& report) {
  const auto least_gap = [&] {
    double least = INFINITY;
    for (std::size_t i = 0; i < w.modes.modes().size(); ++i) {
      const Mode& mode = w.modes.modes()[i];
      if (is_located(mode) && !mode.is_equation && !touching_[i])
        least = std::min(least, stop(mode).gap);
    }
    return least;
  };
  double inside = 0, outside = h, gap_outside = least_gap();
  look(system, from_, w);
  double weight_in = least_gap(), weight_out = gap_outside;
  double part = h;
  int kept = 0;
  for (int i = 0; i < 60; ++i) {
    part = inside + (outside - inside) * weight_in / (weight_in - weight_out);
    if (!(part > inside && part < outside)) part = 0.5 * (inside + outside);
    state = from_;
    const StepReport trial = method.step(system, part, state, w);
    report.add(trial);
    look(system, state, w);
    const double gap = least_gap();
    if (std::abs(gap) <= located || outside - inside <= 1e-14 * h) break;
    if (gap > 0) {
      inside = part;
      weight_in = gap;
      weight_out = kept == 1 ? 0.5 * weight_out : gap_outside;
      kept = 1;
    } else {
      outside = part;
      gap_outside = weight_out = gap;
      weight_in = kept == -1 ? 0.5 * weight_in : weight_in;
      kept = -1;
    }
  }
  return part;
}

StepReport BoundedStep::step(const System& system, Method& method, double h, State& state,
                             Workspace& w) {
  w.adapt(system);
  if (w.modes.empty()) [[likely]]
    return method.step(system, h, state, w);

  StepReport report;
  const double end = state.time + h;
  double rest = h;
  for (int part = 0; rest > 1e-9 * h; ++part) {
    look(system, state, w);
    const auto hits = [&](std::size_t i) {
      const Mode& mode = w.modes.modes()[i];
      if (!is_located(mode) || active_[i]) return false;
      const Stop at = stop(mode);
      return at.gap <= touching && at.rate < -slow;
    };
    bool hit = false;
    for (std::size_t i = 0; i < active_.size(); ++i) hit = hit || hits(i);
    if (hit) {
      impact(system, state, w, report);
      look(system, state, w);
    }
    guess(system, state, w);
    from_ = state;
    double length = rest;  // no farther than to where something is let go
    for (const Mode& mode : w.modes.modes())
      if (is_timed(mode) && mode.is_equation)
        length = std::min(length, mode.law.until - state.time);
    const StepReport done = pivot(system, method, length, state, w);
    const bool failed = done.status == StepStatus::not_converged || !state.q.allFinite();
    if (failed || !passed(w) || part > 4 * most_impacts) {
      add_part(report, done);
      report.has_estimate = done.has_estimate;
      rest -= failed ? rest : length;
    } else {
      rest -= reach(system, method, length, state, w, report);
    }
    // Methods of higher order take the velocity at the end from positions over the step, as if
    // nothing had happened in it, and what became taut would bounce.
    if (method.order() > 1 && has_new_limit(w))
      project_velocity(system, state.time, state.q, state.v, w, report);
    report.active_limits = 0;
    for (std::size_t i = 0; i < active_.size(); ++i) {
      const Mode& mode = w.modes.modes()[i];
      active_[i] = is_limit(mode) && mode.is_equation;
      report.active_limits += active_[i];
      if (mode.law.is_located || !active_[i]) continue;
      const double sign = mode.target == mode.law.lower ? 1 : -1;
      active_[i] = sign * w.lambda[mode.row] < 0;  // a weak pull: it lets go in the next step
    }
  }
  state.time = end;
  look(system, state, w);
  for (Mode& mode : w.modes.modes()) mode.last = RowModes::continued(mode, raw_.C[mode.row]);
  return report;
}

}  // namespace taut
