#include "taut/simulate/contact_look.hpp"

#include <algorithm>
#include <cmath>

#include "taut/base/dense_solve.hpp"
#include "taut/model/rotation.hpp"
#include "taut/model/scale.hpp"

namespace taut {
namespace {

constexpr double round_off = 1e-17;     // of a turn
constexpr double soon = 0.05;           // of a part
constexpr double much_the_same = 0.98;  // of a load: what it is in the next part, at least
constexpr double at_rest = 1e-3;        // of what forces change in a step: it stays closed

}  // namespace

void ContactLook::look(const System& system, double h, double rest, const State& state,
                       Workspace& w) {
  pose_.set(system, state.q);
  system.forces(pose_, state.v, state.time, F);
  if (work_.sleep.any()) work_.sleep.wake_pushed(system, F, work_.loads.touches);
  rest_ = 0;
  free_velocity(system, rest, state.v, v_free_);
  scale_.size = length_scale(system, w.pattern, state.q);
  scale_.no_gap = 10 * ContactScale::roundoff * scale_.size;
  // A turn moves what is far from its centre; no shape is farther than this.
  scale_.lever = 0;
  for (const auto& source : system.contact_sources())
    scale_.lever = std::max(scale_.lever, source->reach());
  foresee_change(system, rest, state, w);
  for (const BodySlot& slot : system.slots())
    if (slot.rigid >= 0) change_.segment<3>(slot.v + 3) *= std::min(1.0, scale_.lever);
  scale_.reach = scale_.no_gap + 2 * rest * change_.lpNorm<Eigen::Infinity>();
  // Where little changes, what touches is still only there as accurately as positions are.
  if (!w.pattern.coupling_blocks.empty()) scale_.reach += 10 * scale_.deepest_overlap();
  // Where a step ended, its contacts may have been found already.
  const auto find_contacts = [&] {
    if (work_.at_end.covers(system, state, ContactScale::ahead * rest, scale_.reach,
                            work_.sleep.asleep(), scale_.still()))
      std::swap(rows, work_.at_end);
    else
      rows.find(system, state, ContactScale::ahead * rest, scale_.reach, work_.sleep.asleep());
  };
  find_contacts();
  while (work_.sleep.wake_touched(rows, work_.loads.touches)) {
    free_velocity(system, rest, state.v, v_free_);
    find_contacts();
  }
  rest_ = rest;
  v_ = state.v;
  rows.velocities(state.v, u);
  rows.velocities(v_free_, u_free);
  scale_.speed = scale_.fastest = 0;
  for (int i = 0; i < u.size(); ++i) {
    scale_.speed = std::max(scale_.speed, std::abs(u_free[i] - u[i]) * h / rest);
    scale_.fastest = std::max({scale_.fastest, std::abs(u[i]), std::abs(u_free[i])});
  }
  look_at_held(system, state, h / rest, w);
  scale_.slow = weakest_bounce * scale_.speed + 1e-9 * scale_.fastest;
  scale_.no_gap = std::max(scale_.no_gap, 1e-9 * h * scale_.speed);
  scale_.speed = std::max(scale_.speed, 1e-6 * scale_.fastest);
  look_at_loads(system, h);
  closed_.reserve(ContactRows::usual_count);
  closed_.resize(static_cast<std::size_t>(rows.count()));
  for (int c = 0; c < rows.count(); ++c) {
    const Contact& contact = rows.contact(c);
    const double at_once = std::max(0.0, -u[3 * c]) * ContactScale::no_time_left * h;
    closed_[static_cast<std::size_t>(c)] = contact.gap <= scale_.no_gap + at_once;
  }
  stops.look(system, state, h, rest, v_free_, scale_.size, ContactScale::no_time_left * h,
             work_.equations.source, w);
}

// change_ ← how a part changes the velocity, as far as that is known before it is solved, each
// body by itself. Stiff forces are solved for at the end of the part, and change it by much less
// than F says; and what presses against something is held by it, as it was in the last part. If
// contacts were looked for as far as F alone would take a limb of a hand that holds something,
// there would be hundreds. (What is let go at once may get farther. It is found where it gets to.)
void ContactLook::foresee_change(const System& system, double rest, const State& state,
                                 Workspace& w) {
  change_ = v_free_ - state.v;
  work_.loads.sums_forces = !w.pattern.coupling_blocks.empty();
  if (w.pattern.coupling_blocks.empty()) return;
  system.apply_mass(change_, momentum_);
  if (!work_.loads.touches.empty() && work_.loads.forces.size() == momentum_.size())
    momentum_ += much_the_same * rest * work_.loads.forces;
  work_.equations.take_stiffness(system, state, 1 / rest, w);
  work_.problem.set_mass(w.pattern, 1, work_.equations.rows.K, rest * rest);
  work_.problem.solve_alone(momentum_, change_);
}

// What a held body lies on, or bears, does not fall with it.
void ContactLook::look_at_held(const System& system, const State& state, double steps,
                               const Workspace& w) {
  held_.adapt(system, w.pattern);
  if (!held_.any()) return;
  change_ = v_free_ - state.v;
  for (int c = 0; c < rows.count(); ++c) {
    const auto blocks = rows.blocks(c);
    if (std::none_of(blocks.begin(), blocks.end(),
                     [&](const ContactRows::Block& block) { return held_.holds(block.dof); }))
      continue;
    for (const ContactRows::Block& block : blocks)
      for (int i = 0; i < 3; ++i) {
        double change = 0;
        for (int j = 0; j < block.size; ++j)
          change += block.values[i * block.size + j] * change_[block.dof + j];
        scale_.speed = std::max(scale_.speed, std::abs(change) * steps);
      }
  }
}

// Motors and springs press, too, though not seen in F: they are known by the loads.
void ContactLook::look_at_loads(const System& system, double h) {
  scale_.loaded_speed = scale_.speed;
  if (scale_.is_real_time() || work_.loads.touches.empty()) return;
  work_.loads.recall(rows, h, impulse_);
  momentum_.setZero(system.velocity_size());
  rows.add_impulses(impulse_, 1, momentum_);
  system.apply_inverse_mass(momentum_, change_);
  rows.velocities(change_, u_loads_);
  scale_.loaded_speed =
      std::max(scale_.speed, std::min(u_loads_.lpNorm<Eigen::Infinity>(), scale_.fastest));
}

bool ContactLook::is_hit(bool locates) const {
  for (int c = 0; c < rows.count(); ++c) {
    const Contact& contact = rows.contact(c);
    if (!contact.is_compliant() && is_closed(c) && u[3 * c] < -scale_.slow &&
        (contact.restitution > 0 || locates))
      return true;
  }
  return stops.is_hit();
}

double ContactLook::time_to_hit(double rest, bool locates) const {
  double first = rest;
  for (int c = 0; c < rows.count(); ++c) {
    const Contact& contact = rows.contact(c);
    if (is_closed(c) || contact.is_compliant()) continue;
    if (contact.restitution == 0 && !locates) continue;
    const double rate = u[3 * c], acceleration = (u_free[3 * c] - rate) / rest;
    const double closing = closing_time(contact.gap, rate, acceleration, rest);
    if (closing < first && rate + acceleration * closing < -scale_.slow) first = closing;
  }
  return first;
}

int ContactLook::hits_within(double rest) const {
  int hits = 0;
  for (int c = 0; c < rows.count(); ++c) {
    const Contact& contact = rows.contact(c);
    // What rests is pressed by forces, but not hit.
    const double rate = is_closed(c) ? u[3 * c] : std::min(u[3 * c], u_free[3 * c]);
    hits += !contact.is_compliant() && contact.gap + rest * rate < 0 && rate < -scale_.slow;
  }
  return hits;
}

bool ContactLook::touches_within(double length, bool locates) const {
  for (int c = 0; c < rows.count(); ++c) {
    const Contact& contact = rows.contact(c);
    const double rate = u[3 * c], slower = std::min(rate, u_free[3 * c]);
    if (contact.is_compliant()) {
      if (contact.gap + length * std::min(slower, 0.0) < 0) return true;
    } else if (is_closed(c)) {
      if (slower <= scale_.slow) return true;
    } else if (contact.gap + length * slower < 0) {
      // To aim at the moment when something settles on what it all but touches is not worth while.
      // What bounces is always aimed at: else it would be slowed down before it does.
      const double acceleration = (u_free[3 * c] - rate) / length;
      const double closing = closing_time(contact.gap, rate, acceleration, length);
      const bool is_soft = rate + acceleration * closing >= -scale_.slow;
      const bool is_aimed_at = locates || (contact.restitution > 0 && !is_soft);
      if (!is_aimed_at || (closing < soon * length && is_soft)) return true;
    }
  }
  return false;
}

bool ContactLook::is_still(int contact) const {
  return rows.contact(contact).is_compliant() ||
         std::abs(u[3 * contact]) <= at_rest * scale_.loaded_speed;
}

bool ContactLook::is_steady(double length) const {
  std::size_t known = 0;
  for (int c = 0; c < rows.count(); ++c) {
    const Contact& contact = rows.contact(c);
    if (work_.loads.find(contact)) {
      ++known;
      if (!is_still(c)) return false;
    } else if (contact.gap + length * u[3 * c] < -scale_.deepest_overlap()) {
      return false;
    }
  }
  return known > 0 && known == work_.loads.touches.size();
}

// I⁻¹ of the momentum of free bodies after a step, with gyroscopic torques as at its end, which
// never add energy: I ω⁺ + h ω⁺ × I ω⁺ = I ω + h τ. F has those of the start.
void ContactLook::free_velocity(const System& system, double h, const VecX& v, VecX& out) const {
  if (h == rest_ && v == v_) {
    out = v_free_;
    return;
  }
  system.apply_inverse_mass(F, out);
  out = v + h * out;
  for (int i = 0; i < system.body_count(); ++i) {
    if (!system.is_rigid({i})) continue;
    const int at = system.slot({i}).v + 3;
    const Mat3& inertia = system.inertia({i});
    const Vec3 before = v.segment<3>(at);
    const Vec3 momentum =
        inertia * before + h * (F.segment<3>(at) + before.cross(inertia * before));
    Vec3 turn = before;
    for (int k = 0; k < 4; ++k) {
      const Vec3 spin = inertia * turn;
      Vec3 correction = spin + h * turn.cross(spin) - momentum;
      if (correction.isZero(0)) break;
      Mat3 slope = inertia + h * (cross_matrix(turn) * inertia - cross_matrix(spin));
      if (!solve_square(slope.data(), 3, correction.data())) break;
      turn -= correction;
      if (correction.squaredNorm() <= round_off * round_off * turn.squaredNorm()) break;
    }
    out.segment<3>(at) = turn;
  }
  work_.sleep.stop(system, out);
}

}  // namespace taut
