#include "taut/simulate/bounded_step.hpp"

#include <algorithm>
#include <cmath>

#include "taut/methods/projection.hpp"
#include "taut/model/scale.hpp"

namespace taut {
namespace {

// Limits of cloth whose events are located. An event costs a few steps of everything, and in a net
// of n strings there are about n² of them in a second.
constexpr int few = 24;
constexpr double lingering = 1e-3;  // gap, in units of the scene, of a stop that acted just now
constexpr double weak = 1e-6;       // a pull, of what the forces do to a row, that is none
constexpr int most_impacts = 50;    // in a step; afterwards nothing bounces any more
constexpr int most_parts = 200;     // of a step
constexpr double no_time = 1e-9;    // of a step
constexpr double other_rate = 0.1;  // of a stop, after an impact on another one: they are coupled
constexpr double short_flight = 1e-3;  // of a step
constexpr double no_drift = 1e-13;     // of C, relative to the scene
constexpr double drift = 1e-2;         // … at most; what is more a method means to have

}  // namespace

void LimitCount::add(const RowLaw& law) {
  if (law.kind != RowLaw::Kind::limit) return;
  ++all;
  threads += law.is_thread ? 1 : 0;
  bouncing += law.restitution > 0 ? 1 : 0;
}

bool LimitCount::are_located(int most) const { return all <= (threads > 0 ? few : most); }

LimitCount count_limits(const System& system) {
  LimitCount count;
  for (const auto& batch : system.constraints())
    for (int c = 0; c < batch->size(); ++c)
      for (int r = 0; r < batch->rows_per_constraint(); ++r) count.add(batch->law(c, r));
  return count;
}

bool BoundedStep::is_hit(const Workspace& w) {
  const std::vector<Mode>& modes = w.modes.modes();
  bool hit = false;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    touching_[i] = 0;
    if (!LawRows::is_limit(modes[i])) continue;
    const LawRows::Stop at = laws_.stop(modes[i]);
    touching_[i] = at.gap <= 2 * laws_.no_gap(i) ||
                   (modes[i].acted && at.gap <= (lingering / 1e-9) * laws_.no_gap(i));
    rate_[i] = at.rate;
    hit = hit || (touching_[i] && !modes[i].acted && at.rate < -laws_.no_rate(i));
  }
  return hit;
}

void BoundedStep::collide(const System& system, double h, State& state, Workspace& w,
                          StepReport& report) {
  std::vector<Mode>& modes = w.modes.modes();
  const double changed = laws_.impact(system, touching_, report.impacts < most_impacts,
                                      short_flight * h, state, w, report);
  report.impact_energy += changed;
  for (std::size_t i = 0; i < modes.size(); ++i)
    if (touching_[i] && !modes[i].acted && rate_[i] < -laws_.no_rate(i))
      w.trace.add({StepEvent::Kind::impact, state.time, changed, modes[i].row});
  laws_.look(system, state, w);
  laws_.measure(system, state, h, w);
  laws_.measure_pressure(system, touching_, state, h, w, report);
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (LawRows::is_limit(modes[i]) && !touching_[i]) {
      const LawRows::Stop at = laws_.stop(modes[i]);
      report.has_close_impacts = report.has_close_impacts ||
                                 (at.gap < -rate_[i] * h &&
                                  std::abs(at.rate - rate_[i]) > other_rate * std::abs(rate_[i]));
    }
    if (LawRows::is_limit(modes[i]))
      modes[i].acted = touching_[i] && laws_.stop(modes[i]).rate <= laws_.no_rate(i);
    else
      modes[i].acted = modes[i].acted && std::abs(laws_.slip(modes[i])) <= 2 * laws_.no_rate(i);
  }
}

void BoundedStep::note_gap(std::size_t i, const Mode& mode) {
  const LawRows::Stop at = laws_.stop(mode);
  gap_[i] = at.gap;
  rate_[i] = at.rate;
  starts_near_[i] = at.gap <= 2 * laws_.no_gap(i);
}

// Then complementarity holds with the rows as they are: nothing has to be solved for them.
bool BoundedStep::goes_on(const System& system, const State& state, const Workspace& w) const {
  if (!presses_ || seen_topology_ != system.topology() || seen_q_ != state.q || seen_v_ != state.v)
    return false;
  const std::vector<Mode>& modes = w.modes.modes();
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const Mode& mode = modes[i];
    if (LawRows::is_timed(mode) || is_given(mode)) continue;
    const bool may_act = LawRows::is_limit(mode)
                             ? touching_[i]
                             : mode.acted || std::abs(laws_.slip(mode)) <= 2 * laws_.no_rate(i) ||
                                   !std::isfinite(mode.law.upper);
    if (may_act != mode.is_equation || mode.acted != mode.is_equation) return false;
  }
  return true;
}

// Which rows act from here on. A motor that is off its speed exerts its largest torque.
void BoundedStep::begin(const System& system, double h, const State& state, bool goes_on,
                        Workspace& w, StepReport& report) {
  std::vector<Mode>& modes = w.modes.modes();
  for (std::size_t i = 0; i < modes.size(); ++i) {
    Mode& mode = modes[i];
    candidates_[i] = starts_near_[i] = 0;
    if (LawRows::is_timed(mode)) {
      LawRows::set(mode, !LawRows::is_over(mode, state.time), 0, w);
      continue;
    }
    mode.last = RowModes::continued(mode, laws_.value(mode));
    if (LawRows::is_limit(mode)) {
      const LawRows::Stop at = laws_.stop(mode);
      mode.target = at.sign > 0 ? mode.law.lower : mode.law.upper;
      // What would open for a moment only, or no farther than can be told, is not worth an impact.
      const double slow =
          std::max({laws_.no_rate(i), 0.5 * short_flight * h * laws_.acceleration(i),
                    2 * std::sqrt(2 * laws_.acceleration(i) * deepest * laws_.no_gap(i))});
      candidates_[i] = touching_[i] && (mode.acted || at.rate <= slow);
      note_gap(i, mode);
      if (!candidates_[i]) LawRows::set(mode, false, 0, w);
      continue;
    }
    laws_.start(mode, state.time);
    if (is_given(mode)) continue;
    const double slip = laws_.slip(mode), most = slip > 0 ? mode.law.upper : mode.law.lower;
    starts_near_[i] = std::abs(slip) <= 2 * laws_.no_rate(i);
    candidates_[i] = starts_near_[i] || mode.acted || !std::isfinite(most);
    if (!candidates_[i]) LawRows::set(mode, false, most, w);
  }
  if (!goes_on && !laws_.choose(system, candidates_, state, w, report) &&
      report.status == StepStatus::ok)
    report.status = StepStatus::compromise;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (forced_[i] == Forced::acts) LawRows::set(modes[i], true, 0, w);
    if (forced_[i] == Forced::is_free)
      LawRows::set(modes[i], false, LawRows::is_limit(modes[i]) ? 0 : modes[i].held, w);
  }
}

BoundedStep::Margin BoundedStep::margin(const System& system, const State& state, Workspace& w,
                                        StepReport& report, std::size_t watched) {
  const std::vector<Mode>& modes = w.modes.modes();
  laws_.look(system, state, w);
  const VecX* room = nullptr;
  presses_ = true;
  Margin least{INFINITY, 0, 0, true}, of_watched = least;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const Mode& mode = modes[i];
    const bool is_limit = LawRows::is_limit(mode);
    if (LawRows::is_timed(mode) || is_given(mode)) continue;
    presses_ = presses_ && forced_[i] == Forced::no;
    if (forced_[i] == Forced::acts) continue;
    if (mode.is_equation && !is_limit && !std::isfinite(mode.law.upper)) continue;
    double value, rate = 0;
    if (mode.is_equation) {
      if (!room) room = &laws_.room(system, state, w, report);
      const double size = weak * laws_.acceleration(i) + laws_.no_acceleration(i);
      const double left = (*room)[static_cast<Eigen::Index>(i)];
      value = size > 0 ? 1 + left / size : INFINITY;
      presses_ = presses_ && left > size && !laws_.was_singular();
    } else if (is_limit) {
      const LawRows::Stop at = laws_.stop(mode);
      value = at.gap / laws_.no_gap(i);
      rate = at.rate / laws_.no_gap(i);
      if (starts_near_[i]) value += deepest - std::min(gap_[i] / laws_.no_gap(i), 0.0);
    } else {
      const double size = laws_.no_rate(i), slip = laws_.slip(mode);
      if (!(size > 0) || !(mode.law.upper > mode.law.lower)) continue;
      value = (mode.held == mode.law.upper ? slip : -slip) / size + (starts_near_[i] ? 1 : 0);
    }
    const Margin here{value, rate, i, !mode.is_equation};
    if (i == watched) of_watched = here;
    if (value < least.value) least = here;
  }
  seen_q_ = state.q;
  seen_v_ = state.v;
  seen_topology_ = system.topology();
  return least.value > 0 && watched != no_event ? of_watched : least;
}

// Methods that take velocities from positions divide what round-off and drift leave in them by the
// length of the step, and make forces of velocities that are not legal. So before a part of a step
// the state is made legal.
bool BoundedStep::drop_drift(const System& system, State& state, Workspace& w, StepReport& report) {
  w.linearize(system, state.q, state.time, w.end);
  w.J(w.end, state.v, w.Jv);
  w.Jv += w.end.C_t;
  const double length = length_scale(system, w.pattern, state.q);
  const double error = relative_error(w.pattern, w.end.C, length);
  const double speed = relative_displacement(system, state.v, length);
  const bool drifts =
      error > no_drift || relative_error(w.pattern, w.Jv, length) > no_drift * speed;
  if (!drifts || !(error < drift)) return false;
  project(system, state, w, report);
  // Gaps are now counted from here.
  laws_.look(system, state, w);
  const std::vector<Mode>& modes = w.modes.modes();
  for (std::size_t i = 0; i < modes.size(); ++i)
    if (LawRows::is_limit(modes[i])) note_gap(i, modes[i]);
  return true;
}

// Whether a joint that slipped comes to rest or slips the other way is told by legal velocities
// only: near a dead point of a linkage the joint turns back while the rest moves on.
bool BoundedStep::has_turned_back(const System& system, std::size_t mode, State& state,
                                  Workspace& w, StepReport& report) {
  const Mode& of = w.modes.modes()[mode];
  if (!LawRows::is_rate(of) || of.is_equation) return false;
  drop_drift(system, state, w, report);
  laws_.look(system, state, w);
  const double slip = laws_.slip(of);
  return (of.held == of.law.upper ? -slip : slip) > 2 * laws_.no_rate(mode);
}

// A part of a step, without limits or motors.
StepReport BoundedStep::short_step(const System& system, Method& method, double h, State& state,
                                   Workspace& w) {
  StepReport report;
  drop_drift(system, state, w, report);
  from_ = state;
  is_bridged_ = is_short(h) && can_bridge(system, method, h, w);
  add_part(report, advance(system, method, h, state, w));
  report.has_estimate = false;
  return report;
}

StepReport BoundedStep::step(const System& system, Method& method, double h, State& state,
                             Workspace& w) {
  w.adapt(system);
  is_divided_ = false;
  reached_ = h;
  const double full = std::max(h, full_length_);
  if (w.modes.empty()) [[likely]] {
    if (h >= (1 - no_time) * full) [[likely]] {
      w.mean.begin(state.v);
      const StepReport report = method.step(system, h, state, w);
      w.mean.end(state.v, h);
      return report;
    }
    return short_step(system, method, h, state, w);
  }
  std::vector<Mode>& modes = w.modes.modes();
  LimitCount limits;
  for (const Mode& mode : modes) limits.add(mode.law);
  const bool lets_go_only = std::all_of(modes.begin(), modes.end(), LawRows::is_timed);
  if ((!method.promises.solves_rows && !lets_go_only) || !limits.are_located(most_located) ||
      w.contacts)
    return whole_.step(system, method, h, state, w);

  touching_.assign(modes.size(), 0);
  candidates_.assign(modes.size(), 0);
  starts_near_.assign(modes.size(), 0);
  forced_.assign(modes.size(), Forced::no);
  gap_.assign(modes.size(), 0);
  rate_.assign(modes.size(), 0);
  joint_.assign(modes.size(), 0);
  StepReport report;
  const double start = state.time;
  double rest = h;
  for (int parts = 0; rest > no_time * h; ++parts) {
    laws_.look(system, state, w);
    laws_.measure(system, state, h, w);
    const bool hit = is_hit(w);
    const bool as_before = !hit && goes_on(system, state, w);
    if (as_before)
      laws_.keep_pressure(touching_, h);
    else
      laws_.measure_pressure(system, touching_, state, h, w, report);
    if (hit) {
      if (stops_at_impacts_ && parts > 0) {
        reached_ = h - rest;
        break;
      }
      collide(system, h, state, w, report);
    }
    begin(system, h, state, as_before, w, report);
    double length = rest;  // no farther than to where something is let go
    for (const Mode& mode : modes)
      if (LawRows::is_timed(mode) && mode.is_equation)
        length = std::min(length, mode.law.until - state.time);
    if (length < (1 - no_time) * full) drop_drift(system, state, w, report);
    from_ = state;
    for (std::size_t i = 0; i < modes.size(); ++i) joint_[i] = modes[i].last;
    const Located reached =
        part(system, method, full, length, parts < most_parts, state, w, report);
    add_part(report, reached.step);
    if (method.promises.energy != Promises::Energy::conserves)
      laws_.add_work(system, state, joint_, w, report);
    if (reached.mode != no_event)
      w.trace.add({StepEvent::Kind::cut, state.time, 0, modes[reached.mode].row});
    rest -= reached.part;
    if (reached.part > no_time * h)
      std::fill(forced_.begin(), forced_.end(), Forced::no);
    else if (reached.mode != no_event && !has_turned_back(system, reached.mode, state, w, report))
      forced_[reached.mode] = modes[reached.mode].is_equation ? Forced::is_free : Forced::acts;
    report.active_limits = 0;
    for (std::size_t i = 0; i < modes.size(); ++i) {
      if (!modes[i].is_equation) w.lambda[modes[i].row] = modes[i].held;
      modes[i].acted = !LawRows::is_timed(modes[i]) && modes[i].is_equation;
      report.active_limits += modes[i].acted && LawRows::is_limit(modes[i]);
    }
    // A part that did not converge may be let pass: the rest of the step is done all the same.
    if (!state.q.allFinite() || !state.v.allFinite()) break;
  }
  state.time = start + reached_;
  laws_.look(system, state, w);
  for (Mode& mode : modes) mode.last = RowModes::continued(mode, laws_.value(mode));
  return report;
}

}  // namespace taut
