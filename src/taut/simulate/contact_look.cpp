// What there is at the beginning of a part: contacts, stops and strings, how fast they close, and
// what is small there.
#include <algorithm>
#include <cmath>

#include "taut/model/scale.hpp"
#include "taut/simulate/contact_step.hpp"

namespace taut {
namespace {

constexpr double soon = 0.05;           // of a part
constexpr double weakest_bounce = 0.5;  // of what forces change in a step: a slower approach ends
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

/// Contacts, rows and forces at the beginning of a part; what is small there.
void ContactStep::look(const System& system, double h, double rest, const State& state,
                       Workspace& w) {
  pose_.set(system, state.q);
  system.forces(pose_, state.v, state.time, F_);
  if (sleep_.any()) sleep_.wake_pushed(system, F_, touches_);
  free_velocity(system, rest, state.v);
  size_ = length_scale(system, w.pattern, state.q);
  no_gap_ = 10 * roundoff * size_;
  // A turn moves what is far from its centre; no shape is farther than this.
  double lever = 0;
  for (const auto& source : system.contact_sources()) lever = std::max(lever, source->reach());
  velocity_ = v_free_ - state.v;
  for (const BodySlot& slot : system.slots())
    if (slot.rigid >= 0) velocity_.segment<3>(slot.v + 3) *= std::min(1.0, lever);
  reach_ = no_gap_ + 2 * rest * velocity_.lpNorm<Eigen::Infinity>();
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
  look_at_loads(system, h);
  closed_.resize(static_cast<std::size_t>(rows_.count()));
  for (int c = 0; c < rows_.count(); ++c) {
    const Contact& contact = rows_.contacts()[static_cast<std::size_t>(c)];
    const double at_once = std::max(0.0, -u_[3 * c]) * no_time_left * h;
    closed_[static_cast<std::size_t>(c)] = contact.gap <= no_gap_ + at_once;
  }
  look_at_stops(system, h, rest, state, w);
}

// Motors and springs press, too, though not seen in F: they are known by the loads.
void ContactStep::look_at_loads(const System& system, double h) {
  loaded_speed_ = speed_;
  if (is_real_time() || touches_.empty()) return;
  recall(rows_, h, impulse_);
  momentum_.setZero(system.velocity_size());
  rows_.add_impulses(impulse_, 1, momentum_);
  system.apply_inverse_mass(momentum_, velocity_);
  rows_.velocities(velocity_, u_law_);
  loaded_speed_ = std::max(speed_, std::min(u_law_.lpNorm<Eigen::Infinity>(), fastest_));
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

bool ContactStep::is_still(int contact) const {
  return rows_.contacts()[static_cast<std::size_t>(contact)].is_compliant() ||
         std::abs(u_[3 * contact]) <= at_rest * loaded_speed_;
}

/// What touches now is what has touched, without approaching: it would move on while it is stopped.
/// Nothing else is about to touch.
bool ContactStep::is_steady(double length) const {
  std::size_t known = 0;
  for (int c = 0; c < rows_.count(); ++c) {
    const Contact& contact = rows_.contacts()[static_cast<std::size_t>(c)];
    if (find(contact)) {
      ++known;
      if (!is_still(c)) return false;
    } else if (contact.gap + length * u_[3 * c] < -deepest_overlap()) {
      return false;
    }
  }
  return known > 0 && known == touches_.size();
}

}  // namespace taut
