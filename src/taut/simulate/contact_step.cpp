#include "taut/simulate/contact_step.hpp"

#include <algorithm>
#include <cmath>

#include "taut/model/scale.hpp"

namespace taut {
namespace {

constexpr int most_contact_parts = 24;    // of a step; what is left is done without cuts
constexpr int most_located = 8;           // impacts in a step; of more, none is located,
constexpr int crowd = 64;                 // nor with so many contacts
constexpr double opens = 1e-7;            // of what forces change in a step: it bears no load
constexpr double still = 1e-8;            // the same: it may sleep
constexpr double near = 1e-9;             // gap, of the scene's size, that makes one island of two
constexpr double noticeable_turn = 1e-4;  // rad

/// Whether a body turns noticeably in a time.
bool turns(const System& system, const State& state, double time) {
  for (int i = 0; i < system.body_count(); ++i)
    if (system.is_rigid({i}) &&
        state.v.segment<3>(system.slot({i}).v + 3).norm() * time > noticeable_turn)
      return true;
  return false;
}

}  // namespace

bool is_same(const std::vector<Touch>& one, const std::vector<Touch>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const Touch& a, const Touch& b) {
                      return a.source == b.source && a.feature == b.feature && a.how == b.how &&
                             a.turns == b.turns;
                    });
}

void ContactStep::recall(const ContactRows& rows, double length, VecX& impulse) const {
  impulse.setZero(rows.size());
  for (int c = 0; c < rows.count(); ++c)
    if (const Contact& contact = rows.contacts()[static_cast<std::size_t>(c)];
        const Touch* touch = find(contact)) {
      const auto now = [&](const Vec3& then) {
        return Vec3(length * turned(touch->normal, contact.normal, then));
      };
      rows.set_impulse(c, now(touch->force), now(touch->torque), impulse);
    }
}

/// Those of the problem just solved, with velocities u. What opens bears no load, whatever
/// round-off says.
void ContactStep::remember(const ContactRows& rows, const VecX& u, double length) {
  const VecX& impulse = problem_.impulse;
  touches_.clear();
  const double opening = opens * std::max(speed_, 1e-3 * fastest_);
  for (int c = 0; c < rows.count(); ++c) {
    const Vec3 r = impulse.segment<3>(3 * c);
    const Contact& contact = rows.contacts()[static_cast<std::size_t>(c)];
    const bool is_open = !contact.is_compliant() && u[3 * c] + problem_.bias[3 * c] > opening;
    if (!(r[0] > 0) || is_open) continue;
    const double bound = r[0] * (1 - 1e-6);
    const bool slides = r.tail<2>().norm() >= rows.friction(c) * bound;
    bool turns = false;
    if (const double lever = rows.lever(c); lever > 0) {
      const Vec3 about = lever * impulse.segment<3>(rows.torque(c));
      turns = (contact.rolling_friction > 0 &&
               about.tail<2>().norm() >= contact.rolling_friction * bound) ||
              (contact.spinning_friction > 0 &&
               std::abs(about[0]) >= contact.spinning_friction * bound);
    }
    touches_.push_back({contact.source, contact.feature,
                        slides ? Touch::How::slides : Touch::How::sticks,
                        rows.force(c, impulse) / length, rows.torque(c, impulse) / length,
                        contact.normal, rows.blocks(c).front().body, turns});
  }
  std::sort(touches_.begin(), touches_.end(), Touch::before);
  loads_.setZero(problem_.momentum.size());
  rows.add_impulses(impulse, 1 / length, loads_);
}

void ContactStep::count(const ConeReport& cones, double length, StepReport& report) const {
  report.linear_solves += cones.backsolves;
  report.iterations += cones.newton_steps + cones.admm_iterations + cones.sweeps;
  if (cones.status == ConeReport::Status::converged) return;
  report.residual = std::max(report.residual, cones.residual * speed_ * length / size_);
  if (cones.status == ConeReport::Status::compromise)
    report.status = StepStatus::compromise;
  else if (report.status == StepStatus::ok)
    report.status = StepStatus::not_converged;
}

bool ContactStep::passes(const System& system, const State& from, const State& state,
                         double length) {
  pose_from_.set(system, from.q);
  for (const auto& source : system.contact_sources()) {
    if (!source->is_fast(pose_from_, from.v, length) &&
        !source->is_fast(pose_from_, state.v, length))
      continue;
    pose_.set(system, state.q);
    if (source->passes(pose_from_, pose_, state.v, length)) return true;
  }
  return false;
}

/// Flight, or contacts that stay as they are; false if it is neither, and nothing was done then.
/// `length` becomes what was done of it.
bool ContactStep::do_quietly(const System& system, Method& method, double& length, bool locates,
                             State& state, Workspace& w, StepReport& report) {
  const bool is_flight = !touches_within(length, locates);
  if (!is_flight && (is_real_time() || !is_steady(length))) return false;
  at_start_ = state;
  touches_of_part_ = touches_;
  StepReport done;
  double reached = length;
  // A stop that is hit pushes through contacts, too.
  bounded_.stop_at_impacts(rows_.count() > 0 && !stops_ahead_.empty());
  if (is_flight)
    reached = fly(system, method, length, locates, state, w, done);
  else if (!hold(system, method, locates, reached, state, w, done))
    reached = 0;
  bounded_.stop_at_impacts(false);
  // What turned so fast that it got into something, or through it.
  if (reached == 0 || at_end_.lowest().gap < -deepest_overlap() ||
      passes(system, at_start_, state, reached)) {
    report.add(done);
    state = at_start_;
    w.modes.restore(modes_from_);
    touches_ = touches_of_part_;
    return false;
  }
  add_part(report, done);
  length = reached;
  if (is_flight) touches_.clear();
  return true;
}

/// Turmoil tells which contacts there are at the end of a part, and how they push: with these the
/// method can do it, to its own order. False: all is as turmoil left it.
bool ContactStep::hold_what_came(const System& system, Method& method, double length, State& state,
                                 Workspace& w, StepReport& report) {
  // What approaches fast is stopped, not held; and where a stiff spring begins to be pressed, it is
  // as well that it damps.
  for (int c = 0; c < rows_.count(); ++c)
    if (const Contact& contact = rows_.contacts()[static_cast<std::size_t>(c)];
        (contact.is_compliant() || u_[3 * c] < -slow_) && find(contact))
      return false;
  if (touches_.empty() || !state.q.allFinite()) return false;
  const State start = from_, rough = state;
  const std::vector<Touch> before = remembered_, came = touches_;
  const VecX lambda = w.lambda;
  state = start;
  StepReport done;
  double reached = length;
  bounded_.stop_at_impacts(!stops_ahead_.empty());
  bool is_held = hold(system, method, false, reached, state, w, done) && reached == length &&
                 at_end_.lowest().gap >= -deepest_overlap() &&
                 !passes(system, start, state, length);
  bounded_.stop_at_impacts(false);
  // Methods that are unstable where much happens at once end up elsewhere.
  velocity_ = state.v - rough.v;
  is_held = is_held && size_ * relative_displacement(system, velocity_, size_) <= loaded_speed_;
  if (is_held) {
    add_part(report, done);
    return true;
  }
  report.add(done);
  state = rough;
  from_ = start;
  w.modes.restore(modes_from_);
  w.lambda = lambda;
  remembered_ = before;
  touches_ = came;
  return false;
}

StepReport ContactStep::step(const System& system, Method& method, double h, State& state,
                             Workspace& w) {
  if (system.contact_sources().empty()) [[likely]]
    return bounded_.step(system, method, h, state, w);
  w.adapt(system);
  problem_.adapt(system, w);
  sleep_.adapt(system);
  StepReport report;
  const double end = state.time + h;
  const bool is_asleep = sleep_.any() && sleeps_through(system, h, state, w);
  const bool is_high_order = method.order() >= 2 && method.promises.solves_rows && !is_real_time();
  double rest = is_asleep ? 0 : h;
  bounded_.set_full_length(h);
  for (int parts = 0; rest > no_time_left * h; ++parts) {
    const bool may_cut = parts < most_contact_parts;
    look(system, h, rest, state, w);
    const bool locates =
        is_high_order && may_cut && rows_.count() < crowd && hits_within(rest) <= most_located;
    if (may_cut && is_hit(locates)) {
      const double before = report.impact_energy;
      hit(system, state, w, report);
      w.trace.add({StepEvent::Kind::collided, state.time, report.impact_energy - before});
      look(system, h, rest, state, w);
    }
    double length = may_cut ? time_to_hit(rest, locates) : rest;
    if (length < no_time_left * h) length = rest;
    bool is_turmoil = !do_quietly(system, method, length, locates, state, w, report);
    if (is_turmoil) {
      const double start = state.time;
      if (may_cut) length = std::min(length, stops_ahead_.time_to_hit(length, locates));
      if (length < no_time_left * h) length = rest;
      StepReport done;
      length = careful_turmoil(system, length, state, w, done);
      const bool is_rolling = is_same(touches_, remembered_) && turns(system, state, length);
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
    // What constraints a method violates is its own affair. Where it ends, at_end_ has the
    // contacts.
    if (is_turmoil || at_end_.lowest().gap < -10 * roundoff * size_)
      separate(system, h, state, w, report);
    if (is_turmoil && !is_real_time() && state.q.allFinite())
      align_velocity(system, length, state, w, report);
    sleep_.restore(system, state);
  }
  bounded_.set_full_length(0);
  state.time = end;
  if (!is_asleep) tuck_in(system, state, w, report);
  report.contacts = static_cast<int>(touches().size());
  for (const Touch& touch : touches())
    report.contact_force = std::max(report.contact_force, touch.force.norm());
  return report;
}

bool ContactStep::sleeps_through(const System& system, double h, const State& state, Workspace& w) {
  const double size = length_scale(system, w.pattern, state.q);
  sleep_.wake_moved(system, state, 10 * roundoff * size, still_, touches_);
  pose_.set(system, state.q);
  for (const double time : {state.time, state.time + h}) {
    system.forces(pose_, state.v, time, F_);
    sleep_.wake_pushed(system, F_, touches_);
  }
  return sleep_.all();
}

void ContactStep::tuck_in(const System& system, State& state, Workspace& w, StepReport& report) {
  still_ = still * speed_;
  if (may_sleep_ && report.status == StepStatus::ok && state.q.allFinite() &&
      sleep_.watch(system, state, still_, size_)) {
    pose_.set(system, state.q);
    system.forces(pose_, state.v, state.time, F_);
    at_end_.find(system, state, 0, std::max(no_gap_, near * size_), sleep_.asleep());
    sleep_.fall_asleep(system, w, at_end_, F_, state, touches_);
  }
  all_touches_.clear();
  if (!sleep_.any()) return;
  std::merge(touches_.begin(), touches_.end(), sleep_.touches().begin(), sleep_.touches().end(),
             std::back_inserter(all_touches_), Touch::before);
}

}  // namespace taut
