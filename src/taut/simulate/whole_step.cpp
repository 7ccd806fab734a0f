#include "taut/simulate/whole_step.hpp"

#include <algorithm>
#include <cmath>

#include "taut/methods/projection.hpp"

namespace taut {

// What acted in the last step is the guess. A motor that is off its speed does its most.
void WholeStep::prepare(const State& state, Workspace& w) {
  std::vector<Mode>& modes = w.modes.modes();
  rate_.assign(modes.size(), 0);
  gap_.assign(modes.size(), 0);
  acted_.assign(modes.size(), 0);
  for (std::size_t i = 0; i < modes.size(); ++i) {
    Mode& mode = modes[i];
    if (mode.is_timed()) {
      LawRows::set(mode, !LawRows::is_over(mode, state.time), 0, w);
      continue;
    }
    acted_[i] = mode.acted;
    mode.last = RowModes::continued(mode, laws_.value(mode));
    if (mode.is_limit()) {
      const LawRows::Stop at = laws_.stop(mode);
      if (!mode.acted) mode.target = at.sign > 0 ? mode.law.lower : mode.law.upper;
      rate_[i] = at.rate;
      gap_[i] = at.gap;
      mode.approach = mode.approach_rate = 0;
      LawRows::set(mode, mode.acted || at.gap < 0, 0, w);
      continue;
    }
    laws_.start(mode, state.time);
    const double slip = laws_.slip(mode), most = slip > 0 ? mode.law.upper : mode.law.lower;
    const bool slips = std::abs(slip) > laws_.no_rate(i) && std::isfinite(most);
    LawRows::set(mode, !slips, slips ? most : 0, w);
  }
}

// Which rows act, from the velocity at the end of the step.
void WholeStep::predict(const System& system, double h, const State& state, Workspace& w,
                        StepReport& report) {
  w.modes.in_solve = true;
  w.linearize(system, state.q, state.time, w.start);
  w.add_bias(system, state.v, state.time, w.start);
  w.forces(system, w.start, state.v, state.time);
  v_free_ = state.v / h + w.WF;
  w.J(w.start, v_free_, w.rhs);
  w.rhs += w.start.C_t / h + w.start.bias;
  for (const Mode& mode : w.modes.modes())
    if (mode.is_limit()) w.rhs[mode.row] += w.start.C[mode.row] / (h * h);
  w.factor(w.start);
  w.solve(w.rhs, w.lambda, report);
  lambda_ = w.lambda;
  w.modes.in_solve = false;
}

void WholeStep::approach(const System& system, double h, State& state, Workspace& w,
                         StepReport& report) {
  bool jumps = false;
  for (std::size_t i = 0; i < w.modes.modes().size(); ++i) {
    Mode& mode = w.modes.modes()[i];
    if (mode.is_timed() || !mode.is_equation) continue;
    if (mode.is_limit()) {
      const double gap = w.start.C[mode.row];
      if (std::abs(gap) > laws_.no_gap(i)) {
        mode.approach = gap;
        mode.approach_rate = gap / h;
        mode.start_time = state.time;
      }
      jumps = jumps || !acted_[i] || mode.approach != 0;
    } else {
      jumps = jumps || std::abs(laws_.slip(mode)) > laws_.no_rate(i);
    }
  }
  if (jumps) project_velocity(system, state.time, state.q, state.v, w, report);
}

void WholeStep::close(const System& system, State& state, Workspace& w, StepReport& report) {
  constexpr int most = 8;
  constexpr double nothing = 1e-4;  // of what is no gap
  std::vector<Mode>& modes = w.modes.modes();
  before_ = modes;
  for (Mode& mode : modes)
    if (LawRows::is_rate(mode)) {  // says nothing about places: an equation that is over
      mode.law.kind = RowLaw::Kind::equation;
      LawRows::set(mode, false, 0, w);
    }
  w.modes.in_solve = true;
  for (int iteration = 0; iteration < most; ++iteration) {
    w.linearize_positions(system, state.q, state.time, w.end);
    w.modes.turn_to_nearer_bounds(w.end.C);
    bool any = false;
    for (std::size_t i = 0; i < modes.size(); ++i)
      any = any ||
            (modes[i].is_limit() && std::abs(RowModes::beyond(modes[i], w.end.C[modes[i].row])) >
                                        nothing * laws_.no_gap(i));
    if (!any) break;
    w.factor(w.end);
    w.solve(w.end.C, w.rhs, report);
    w.WJt(w.end, w.rhs, w.correction);
    system.advance(state.q, w.correction, -1, state.q);
    has_new_ = true;
  }
  w.modes.in_solve = false;
  // What acted and is still without a gap acts on.
  laws_.look(system, state, w);
  for (std::size_t i = 0; i < modes.size(); ++i)
    if (!modes[i].is_limit())
      modes[i] = before_[i];
    else if (before_[i].is_equation && laws_.stop(modes[i]).gap <= laws_.no_gap(i))
      modes[i].is_equation = true;
}

// When in the step it came nobody knows: the bodies may be off by what the rate makes of the step.
// What one row is off by is random, and adds up like that.
void WholeStep::count_impacts(double h, const Workspace& w, StepReport& report) {
  const std::vector<Mode>& modes = w.modes.modes();
  shift_squared_.resize(modes.size(), 0);
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (!modes[i].is_limit() || acted_[i]) continue;
    // It may have let go again, where a step is done in parts.
    const bool was_stopped =
        rate_[i] < 0 && gap_[i] < -2 * h * rate_[i] && laws_.stop(modes[i]).rate > 0.5 * rate_[i];
    if (!modes[i].is_equation && !was_stopped) continue;
    has_new_ = has_new_ || modes[i].is_equation;
    if (rate_[i] >= -laws_.no_rate(i)) continue;
    ++report.impacts;
    const double shift = rate_[i] * h / laws_.unit(i);
    shift_squared_[i] += shift * shift;
    if (!modes[i].law.is_thread) has_hit_ = true;
  }
  if (!shift_squared_.empty())
    report.impact_shift =
        std::sqrt(*std::max_element(shift_squared_.begin(), shift_squared_.end()));
}

// What the impacts took, as if they had been where the step began; but a method that knows it says
// so.
void WholeStep::count_energy(const System& system, Workspace& w, StepReport& report) {
  if (!has_hit_ || report.impact_energy != 0) return;
  const double energy = system.kinetic_energy(from_.v);
  StepReport cost;
  project_velocity(system, from_.time, from_.q, from_.v, w, cost);
  report.add(cost);
  report.impact_energy = std::min(system.kinetic_energy(from_.v) - energy, 0.0);
}

StepReport WholeStep::step(const System& system, Method& method, double h, State& state,
                           Workspace& w) {
  laws_.look(system, state, w);
  laws_.measure(system, state, h, w);
  prepare(state, w);
  has_new_ = has_hit_ = false;
  from_ = state;
  const bool solves = method.promises.solves_rows, decides = method.promises.decides_laws;
  StepReport before;
  if (!decides || (!solves && !method.promises.solves_contacts))
    predict(system, h, state, w, before);
  if (!decides && solves) approach(system, h, state, w, before);
  if (!solves)  // one-sided springs
    for (Mode& mode : w.modes.modes())
      if (mode.is_limit()) LawRows::set(mode, laws_.stop(mode).gap < 0, 0, w);
  w.modes.in_solve = decides;
  w.mean.begin(state.v);
  StepReport report = method.step(system, h, state, w);
  w.mean.end(state.v, h);
  w.modes.in_solve = false;
  for (Mode& mode : w.modes.modes()) mode.approach = mode.approach_rate = 0;
  if (solves)
    add_part(report, before);
  else
    add_costs(report, before);  // springs need no more than a guess
  if (!state.q.allFinite() || !state.v.allFinite()) return report;

  laws_.look(system, state, w);
  count_impacts(h, w, report);
  const bool is_counted = report.impact_energy != 0;
  if (solves) count_energy(system, w, report);
  if (!decides && solves) close(system, state, w, report);
  // Methods of higher order take the velocity at the end from positions over the step, as if
  // nothing had happened in it, and what became taut would bounce.
  if (has_new_ && solves && (method.order() > 1 || !decides)) {
    const double energy = system.kinetic_energy(state.v);
    project_velocity(system, state.time, state.q, state.v, w, report);
    if (is_counted) report.impact_energy += system.kinetic_energy(state.v) - energy;
  }
  laws_.look(system, state, w);
  for (Mode& mode : w.modes.modes()) {
    if (!mode.is_equation) w.lambda[mode.row] = mode.held;
    // λ of the last stage may be that of a moment at which it would let go.
    if (!decides && mode.is_equation && mode.is_limit()) w.lambda[mode.row] = lambda_[mode.row];
    mode.acted = !mode.is_timed() && mode.is_equation;
    report.active_limits += mode.acted && mode.is_limit();
    mode.last = RowModes::continued(mode, laws_.value(mode));
  }
  return report;
}

}  // namespace taut
