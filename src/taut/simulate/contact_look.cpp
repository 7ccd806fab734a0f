// What there is at the beginning of a part: contacts, stops and strings, how fast they close, and
// what is small there.
#include <algorithm>
#include <cmath>

#include "taut/model/scale.hpp"
#include "taut/simulate/contact_step.hpp"

namespace taut {
namespace {

constexpr double soon = 0.05;           // of a part
constexpr double much_the_same = 0.98;  // of a load: what it is in the next part, at least
constexpr double at_rest = 1e-3;        // of what forces change in a step: it stays closed

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
  foresee_change(system, rest, state, w);
  for (const BodySlot& slot : system.slots())
    if (slot.rigid >= 0) velocity_.segment<3>(slot.v + 3) *= std::min(1.0, lever);
  reach_ = no_gap_ + 2 * rest * velocity_.lpNorm<Eigen::Infinity>();
  // Where little changes, what touches is still only there as accurately as positions are.
  if (!w.pattern.coupling_blocks.empty()) reach_ += 10 * deepest_overlap();
  // Where a step ended, its contacts may have been found already.
  const auto find_contacts = [&] {
    if (at_end_.covers(system, state, ahead * rest, reach_, sleep_.asleep()))
      std::swap(rows_, at_end_);
    else
      rows_.find(system, state, ahead * rest, reach_, sleep_.asleep());
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
  stops_ahead_.look(system, state, h, rest, v_free_, size_, no_time_left * h, laws_, w);
}

// velocity_ ← how a part changes the velocity, as far as that is known before it is solved, each
// body by itself. Stiff forces are solved for at the end of the part, and change it by much less
// than F says; and what presses against something is held by it, as it was in the last part. If
// contacts were looked for as far as F alone would take a limb of a hand that holds something,
// there would be hundreds. (What is let go at once may get farther. It is found where it gets to.)
void ContactStep::foresee_change(const System& system, double rest, const State& state,
                                 Workspace& w) {
  velocity_ = v_free_ - state.v;
  if (w.pattern.coupling_blocks.empty()) return;
  system.apply_mass(velocity_, momentum_);
  if (!touches_.empty() && loads_.size() == momentum_.size())
    momentum_ += much_the_same * rest * loads_;
  raw_.resize(w.pattern);
  raw_.add_force_stiffness(system, w.pattern, pose_, state.v, 1 / rest, state.time);
  problem_.set_mass(w.pattern, 1, raw_.K, rest * rest);
  problem_.solve_alone(momentum_, velocity_);
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

/// Whether something that has no gap is approached too fast to be stopped without an impact.
bool ContactStep::is_hit(bool locates) const {
  for (int c = 0; c < rows_.count(); ++c) {
    const Contact& contact = rows_.contacts()[static_cast<std::size_t>(c)];
    if (!contact.is_compliant() && is_closed(c) && u_[3 * c] < -slow_ &&
        (contact.restitution > 0 || locates))
      return true;
  }
  return stops_ahead_.is_hit();
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
      // What bounces is always aimed at: else it would be slowed down before it does.
      const double acceleration = (u_free_[3 * c] - rate) / length;
      const double closing = closing_time(contact.gap, rate, acceleration, length);
      const bool is_soft = rate + acceleration * closing >= -slow_;
      const bool is_aimed_at = locates || (contact.restitution > 0 && !is_soft);
      if (!is_aimed_at || (closing < soon * length && is_soft)) return true;
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
