#include "taut/simulate/contact_step.hpp"

#include <algorithm>
#include <cmath>

#include "taut/model/scale.hpp"

namespace taut {
namespace {

constexpr double no_time_left = 1e-9;   // of a step
constexpr int most_contact_parts = 24;  // of a step; what is left is done without cuts
constexpr int most_located = 8;         // impacts in a step; of more, none is located,
constexpr int crowd = 64;               // nor with so many contacts
constexpr double soon = 0.05;           // of a part
constexpr double weakest_bounce = 0.5;  // of what forces change in a step: a slower approach ends
constexpr double opens = 1e-7;          // the same: it does not bear a load
constexpr double still = 1e-8;          // the same: it may sleep
constexpr double near = 1e-9;           // gap, of the scene's size, that makes one island of two
constexpr double at_rest = 1e-3;        // of what forces change in a step: it stays closed

/// The first time at which gap + rate t + ½ acceleration t² is 0; `never` if it never is.
double closing_time(double gap, double rate, double acceleration, double never) {
  if (gap <= 0) return rate < 0 ? 0 : never;
  const double discriminant = rate * rate - 2 * acceleration * gap;
  if (discriminant < 0) return never;
  // Of the two roots that first above 0, without cancellation.
  const double root = std::sqrt(discriminant);
  if (rate < 0) return 2 * gap / (root - rate);
  return acceleration < 0 ? (rate + root) / -acceleration : never;
}

}  // namespace

namespace {

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

/// Contacts, rows and forces at the beginning of a part; what is small there.
void ContactStep::look(const System& system, double h, double rest, const State& state,
                       Workspace& w) {
  pose_.set(system, state.q);
  system.forces(pose_, state.v, state.time, F_);
  if (sleep_.any()) sleep_.wake_pushed(system, F_, touches_);
  free_velocity(system, rest, state.v);
  size_ = length_scale(system, w.pattern, state.q);
  no_gap_ = 10 * roundoff * size_;
  reach_ = no_gap_ + 2 * rest * (v_free_ - state.v).lpNorm<Eigen::Infinity>();
  const auto find_contacts = [&] {
    rows_.find(system, state, 1.5 * rest, reach_, sleep_.asleep());
  };
  find_contacts();
  while (sleep_.wake_touched(rows_, touches_)) {
    free_velocity(system, rest, state.v);
    find_contacts();
  }
  rows_.velocities(state.v, u_);
  rows_.velocities(v_free_, u_free_);
  speed_ = fastest_ = 0;
  for (int i = 0; i < u_.size(); ++i) {
    speed_ = std::max(speed_, std::abs(u_free_[i] - u_[i]) * h / rest);
    fastest_ = std::max({fastest_, std::abs(u_[i]), std::abs(u_free_[i])});
  }
  slow_ = weakest_bounce * speed_ + 1e-9 * fastest_;
  no_gap_ = std::max(no_gap_, 1e-9 * h * speed_);
  speed_ = std::max(speed_, 1e-6 * fastest_);
  // Motors and springs press, too, though not seen in F: they are known by the loads.
  recall(rows_, h, impulse_);
  momentum_.setZero(system.velocity_size());
  rows_.add_impulses(impulse_, 1, momentum_);
  system.apply_inverse_mass(momentum_, velocity_);
  rows_.velocities(velocity_, u_law_);
  loaded_speed_ = std::max(speed_, std::min(u_law_.lpNorm<Eigen::Infinity>(), fastest_));
  closed_.resize(static_cast<std::size_t>(rows_.count()));
  for (int c = 0; c < rows_.count(); ++c) {
    const Contact& contact = rows_.contacts()[static_cast<std::size_t>(c)];
    const double at_once = std::max(0.0, -u_[3 * c]) * no_time_left * h;
    closed_[static_cast<std::size_t>(c)] = contact.gap <= no_gap_ + at_once;
  }
  look_at_stops(system, h, rest, state, w);
}

void ContactStep::look_at_stops(const System& system, double h, double rest, const State& state,
                                Workspace& w) {
  stops_and_strings_.clear();
  const std::vector<RowModes::Mode>& modes = w.modes.modes();
  if (std::none_of(modes.begin(), modes.end(), LawRows::is_limit)) return;
  laws_.look(system, state, w);
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const RowModes::Mode& mode = modes[i];
    if (!LawRows::is_limit(mode)) continue;
    const LawRows::Stop at = laws_.stop(mode);
    Stop stop{i, mode.row, at.gap, at.rate};
    stop.free_rate = at.sign * (laws_.along(mode.row, v_free_, w.pattern) + laws_.drive(mode));
    const double change = std::abs(stop.free_rate - at.rate) * h / rest;
    stop.slow = 1e-6 * change + 1e-9 * std::abs(at.rate);
    const double touching = stop_gap(w.pattern.is_angle[static_cast<std::size_t>(mode.row)]);
    stop.is_closed = !mode.acted && at.gap <= touching + std::max(0.0, -at.rate) * no_time_left * h;
    if (-at.rate > weakest_bounce * change) stop.restitution = mode.law.restitution;
    stops_and_strings_.push_back(stop);
  }
}

double ContactStep::time_to_stop(double rest, bool locates) const {
  double first = rest;
  for (const Stop& stop : stops_and_strings_) {
    if (stop.is_closed || (stop.restitution == 0 && !locates)) continue;
    const double acceleration = (stop.free_rate - stop.rate) / rest;
    const double closing = closing_time(stop.gap, stop.rate, acceleration, rest);
    if (closing < first && stop.rate + acceleration * closing < -stop.slow) first = closing;
  }
  return first;
}

/// Whether something that has no gap is approached too fast to be stopped without an impact.
bool ContactStep::is_hit(bool locates) const {
  for (int c = 0; c < rows_.count(); ++c) {
    const Contact& contact = rows_.contacts()[static_cast<std::size_t>(c)];
    if (!contact.is_compliant() && is_closed(c) && u_[3 * c] < -slow_ &&
        (contact.restitution > 0 || locates))
      return true;
  }
  return std::any_of(stops_and_strings_.begin(), stops_and_strings_.end(),
                     [](const Stop& stop) { return stop.is_closed && stop.rate < -stop.slow; });
}

double ContactStep::time_to_hit(double rest, bool locates) const {
  double first = rest;
  for (int c = 0; c < rows_.count(); ++c) {
    const Contact& contact = rows_.contacts()[static_cast<std::size_t>(c)];
    if (is_closed(c) || contact.is_compliant()) continue;
    if (contact.restitution == 0 && !locates) continue;
    const double rate = u_[3 * c], acceleration = (u_free_[3 * c] - rate) / rest;
    const double closing = closing_time(contact.gap, rate, acceleration, rest);
    if (closing < first && rate + acceleration * closing < -slow_) first = closing;
  }
  return first;
}

int ContactStep::hits_within(double rest) const {
  int hits = 0;
  for (int c = 0; c < rows_.count(); ++c) {
    const Contact& contact = rows_.contacts()[static_cast<std::size_t>(c)];
    const double rate = std::min(u_[3 * c], u_free_[3 * c]);
    hits += !contact.is_compliant() && contact.gap + rest * rate < 0 && rate < -slow_;
  }
  return hits;
}

bool ContactStep::touches_within(double length, bool locates) const {
  for (int c = 0; c < rows_.count(); ++c) {
    const Contact& contact = rows_.contacts()[static_cast<std::size_t>(c)];
    const double rate = u_[3 * c], slower = std::min(rate, u_free_[3 * c]);
    if (contact.is_compliant()) {
      if (contact.gap + length * std::min(slower, 0.0) < 0) return true;
    } else if (is_closed(c)) {
      if (slower <= slow_) return true;
    } else if (contact.gap + length * slower < 0) {
      // To aim at the moment when something settles on what it all but touches is not worth while.
      const double acceleration = (u_free_[3 * c] - rate) / length;
      const double closing = closing_time(contact.gap, rate, acceleration, length);
      if (!locates || (closing < soon * length && rate + acceleration * closing >= -slow_))
        return true;
    }
  }
  return false;
}

/// What touches now is what has touched, without approaching: it would move on while it is stopped.
/// Nothing else is about to touch.
bool ContactStep::is_steady(double length) const {
  std::size_t known = 0;
  for (int c = 0; c < rows_.count(); ++c) {
    const Contact& contact = rows_.contacts()[static_cast<std::size_t>(c)];
    if (find(contact)) {
      ++known;
      if (!contact.is_compliant() && std::abs(u_[3 * c]) > at_rest * loaded_speed_) return false;
    } else if (contact.gap + length * u_[3 * c] < -deepest_overlap * size_) {
      return false;
    }
  }
  return known > 0 && known == touches_.size();
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
  if (!is_flight && !is_steady(length)) return false;
  at_start_ = state;
  StepReport done;
  double reached = length;
  // A stop that is hit pushes through contacts, too.
  bounded_.stop_at_impacts(rows_.count() > 0 && !stops_and_strings_.empty());
  if (is_flight)
    reached = fly(system, method, length, locates, state, w, done);
  else if (!hold(system, method, locates, reached, state, w, done))
    reached = 0;
  bounded_.stop_at_impacts(false);
  // What turned so fast that it got into something, or through it.
  if (reached == 0 || at_end_.lowest().gap < -deepest_overlap * size_ ||
      passes(system, at_start_, state, reached)) {
    report.add(done);
    state = at_start_;
    w.modes.restore(modes_from_);
    if (!is_flight) touches_ = remembered_;
    return false;
  }
  add_part(report, done);
  length = reached;
  if (is_flight) touches_.clear();
  return true;
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
  const bool is_high_order = method.order() >= 2 && method.promises.solves_rows;
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
    const bool is_turmoil = !do_quietly(system, method, length, locates, state, w, report);
    if (is_turmoil) {
      const double start = state.time;
      if (may_cut) length = std::min(length, time_to_stop(length, locates));
      if (length < no_time_left * h) length = rest;
      length = careful_turmoil(system, length, state, w, report);
      w.trace.add({StepEvent::Kind::contacts_changed, start, length});
      if (is_same(touches_, remembered_) && turns(system, state, length))
        report.rolling_time += length;
    }
    rest -= length;
    if (!state.q.allFinite() || !state.v.allFinite()) break;
    // What constraints a method violates is its own affair. Where it ends, at_end_ has the
    // contacts.
    if (is_turmoil || at_end_.lowest().gap < -10 * roundoff * size_)
      separate(system, state, w, report);
    if (is_turmoil && state.q.allFinite()) align_velocity(system, length, state, w, report);
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
