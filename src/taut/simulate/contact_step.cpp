#include "taut/simulate/contact_step.hpp"

#include <algorithm>
#include <cmath>

#include "taut/model/scale.hpp"

namespace taut {
namespace {

constexpr int most_contact_parts = 24;  // of a step; what is left is done without cuts
constexpr int most_located = 8;         // impacts in a step; of more, none is located,
constexpr int crowd = 64;               // nor with so many contacts
constexpr double still = 1e-8;          // of what forces change in a step: it may sleep
constexpr double near_gap = 1e-9;           // gap, of the scene's size, that makes one island of two

}  // namespace

/// Flight, or contacts that stay as they are; false if it is neither, and nothing was done then.
/// `length` becomes what was done of it.
bool ContactStep::do_quietly(const System& system, Method& method, double& length, bool locates,
                             State& state, Workspace& w, StepReport& report) {
  const bool is_flight = !start_.touches_within(length, locates);
  if (!is_flight && (work_.scale.is_real_time() || !start_.is_steady(length))) return false;
  from_ = state;
  modes_from_ = w.modes.modes();
  touches_from_ = work_.loads.touches;
  StepReport done;
  double reached = length;
  // A stop that is hit pushes through contacts, too.
  work_.bounded.stop_at_impacts(start_.rows.count() > 0 && !start_.stops.empty());
  if (is_flight)
    reached = flight_.fly(system, method, length, locates, state, w, done);
  else if (!hold_.hold(system, method, locates, locates, reached, state, w, done))
    reached = 0;
  work_.bounded.stop_at_impacts(false);
  // What turned so fast that it got into something, or through it.
  if (reached == 0 || work_.at_end.lowest().gap < -work_.scale.deepest_overlap() ||
      work_.passes(system, from_, state, reached)) {
    report.add(done);
    state = from_;
    w.modes.restore(modes_from_);
    work_.loads.touches = touches_from_;
    return false;
  }
  add_part(report, done);
  length = reached;
  if (is_flight) work_.loads.touches.clear();
  return true;
}

/// Turmoil tells which contacts there are at the end of a part, and how they push: with these the
/// method can do it, to its own order. False: all is as turmoil left it.
bool ContactStep::hold_what_came(const System& system, Method& method, double length, State& state,
                                 Workspace& w, StepReport& report) {
  const ContactScale& scale = work_.scale;
  // What approaches fast is stopped, not held; and where a stiff spring begins to be pressed, it is
  // as well that it damps.
  for (int c = 0; c < start_.rows.count(); ++c)
    if (const Contact& contact = start_.rows.contact(c);
        (contact.is_compliant() || start_.u[3 * c] < -scale.slow) && work_.loads.find(contact))
      return false;
  // What touches and bears nothing falls as it would alone.
  const bool is_free = work_.loads.touches.empty();
  if ((is_free && !work_.problem.impulse.isZero(0)) || !state.q.allFinite()) return false;
  from_ = state;
  modes_from_ = w.modes.modes();
  touches_from_ = work_.loads.touches;
  const VecX lambda = w.lambda;
  const State& start = turmoil_.from();
  state = start;
  StepReport done;
  double reached = length;
  work_.bounded.stop_at_impacts(!start_.stops.empty());
  if (is_free) reached = flight_.fly(system, method, length, false, state, w, done);
  bool is_held = (is_free ? done.status == StepStatus::ok && state.q.allFinite()
                          : hold_.hold(system, method, false, true, reached, state, w, done)) &&
                 reached == length && work_.at_end.lowest().gap >= -scale.deepest_overlap() &&
                 !work_.passes(system, start, state, length);
  work_.bounded.stop_at_impacts(false);
  // Methods that are unstable where much happens at once end up elsewhere.
  const auto speed_of = [&](const VecX& change) {
    return scale.size * relative_displacement(system, change, scale.size);
  };
  change_ = from_.v - start.v;  // contacts that bear nothing do not tell what forces change
  const double most = is_free ? speed_of(change_) : scale.loaded_speed;
  change_ = state.v - from_.v;
  is_held = is_held && speed_of(change_) <= most;
  if (is_held) {
    add_part(report, done);
    return true;
  }
  report.add(done);
  state = from_;
  w.modes.restore(modes_from_);
  w.lambda = lambda;
  work_.loads.touches = touches_from_;
  return false;
}

StepReport ContactStep::step(const System& system, Method& method, double h, State& state,
                             Workspace& w) {
  if (system.contact_sources().empty()) [[likely]]
    return work_.bounded.step(system, method, h, state, w);
  w.adapt(system);
  work_.sleep.adapt(system);
  const bool hands_over =
      method.promises.solves_contacts && work_.scale.solver == ContactSolver::exact;
  StepReport report = hands_over ? handover_.step(system, method, h, state, w)
                                 : step_in_parts(system, method, h, state, w);
  report.contacts = static_cast<int>(touches().size());
  for (const Touch& touch : touches())
    report.contact_force = std::max(report.contact_force, touch.force.norm());
  return report;
}

StepReport ContactStep::step_in_parts(const System& system, Method& method, double h, State& state,
                                      Workspace& w) {
  work_.problem.adapt(system, w);
  StepReport report;
  const double end = state.time + h;
  const bool is_asleep = work_.sleep.any() && sleeps_through(system, h, state, w);
  const bool is_high_order =
      method.order() >= 2 && method.promises.solves_rows && !work_.scale.is_real_time();
  double rest = is_asleep ? 0 : h;
  work_.bounded.set_full_length(h);
  for (int parts = 0; rest > ContactScale::no_time_left * h; ++parts) {
    const bool may_cut = parts < most_contact_parts;
    start_.look(system, h, rest, state, w);
    const bool locates = is_high_order && may_cut && start_.rows.count() < crowd &&
                         start_.hits_within(rest) <= most_located;
    if (may_cut && start_.is_hit(locates)) {
      const double before = report.impact_energy;
      impact_.hit(system, state, w, report);
      w.trace.add({StepEvent::Kind::collided, state.time, report.impact_energy - before});
      start_.look(system, h, rest, state, w);
    }
    double length = may_cut ? start_.time_to_hit(rest, locates) : rest;
    if (length < ContactScale::no_time_left * h) length = rest;
    bool is_turmoil = !do_quietly(system, method, length, locates, state, w, report);
    if (is_turmoil) {
      const double start = state.time;
      if (may_cut) length = std::min(length, start_.stops.time_to_hit(length, locates));
      if (length < ContactScale::no_time_left * h) length = rest;
      StepReport done;
      length = turmoil_.run(system, length, state, w, done);
      const bool is_rolling =
          is_same(work_.loads.touches, turmoil_.touches_before()) && turns(system, state, length);
      w.trace.add({StepEvent::Kind::contacts_changed, start, length});
      if (locates && hold_what_came(system, method, length, state, w, report)) {
        report.add(done);
        is_turmoil = false;
      } else {
        add_part(report, done);
        if (is_rolling) report.rolling_time += length;
      }
    }
    rest -= length;
    if (!state.q.allFinite() || !state.v.allFinite()) break;
    // What constraints a method violates is its own affair. Where it ends, at_end has the
    // contacts.
    if (is_turmoil || work_.at_end.lowest().gap < -10 * ContactScale::roundoff * work_.scale.size)
      positions_.separate(system, h, state, w, report);
    if (is_turmoil && !work_.scale.is_real_time() && state.q.allFinite())
      positions_.align_velocity(system, length, state, w, report);
    work_.sleep.restore(system, state);
  }
  work_.bounded.set_full_length(0);
  state.time = end;
  if (!is_asleep) tuck_in(system, state, w, report);
  return report;
}

bool ContactStep::sleeps_through(const System& system, double h, const State& state, Workspace& w) {
  const double size = length_scale(system, w.pattern, state.q);
  work_.sleep.wake_moved(system, state, 10 * ContactScale::roundoff * size, still_,
                         work_.loads.touches);
  pose_.set(system, state.q);
  for (const double time : {state.time, state.time + h}) {
    system.forces(pose_, state.v, time, F_);
    work_.sleep.wake_pushed(system, F_, work_.loads.touches);
  }
  return work_.sleep.all();
}

void ContactStep::tuck_in(const System& system, State& state, Workspace& w, StepReport& report) {
  still_ = still * work_.scale.speed;
  if (may_sleep_ && report.status == StepStatus::ok && state.q.allFinite() &&
      work_.sleep.watch(system, state, still_, work_.scale.size)) {
    pose_.set(system, state.q);
    system.forces(pose_, state.v, state.time, F_);
    work_.at_end.find(system, state, 0, std::max(work_.scale.no_gap, near_gap * work_.scale.size),
                      work_.sleep.asleep());
    work_.sleep.fall_asleep(system, w, work_.at_end, F_, state, work_.loads.touches);
  }
  all_touches_.clear();
  if (!work_.sleep.any()) return;
  std::merge(work_.loads.touches.begin(), work_.loads.touches.end(), work_.sleep.touches().begin(),
             work_.sleep.touches().end(), std::back_inserter(all_touches_), Touch::before);
}

}  // namespace taut
