#include "taut/simulate/held_touches.hpp"

#include <algorithm>

namespace taut {
namespace {

constexpr double no_turn = 1e-6;  // rad: a body does not roll

}  // namespace

// What has a gap or still approaches is among the forces, but not among what goes on as it is.
void HeldTouches::start(const ContactLook& start, const ContactLoads& loads) {
  touches_.clear();
  for (int c = 0; c < start.rows.count(); ++c) {
    const Contact& contact = start.rows.contact(c);
    const bool goes_on = contact.is_compliant() || (start.is_closed(c) && start.is_still(c));
    if (const Touch* touch = loads.find(contact); touch && goes_on) touches_.push_back(*touch);
  }
  std::sort(touches_.begin(), touches_.end(), Touch::before);
}

void HeldTouches::note_slips(const ContactLook& start) {
  slips_.assign(touches_.size(), Vec3::Zero());
  spins_.assign(touches_.size(), Vec3::Zero());
  stops_.assign(touches_.size(), 0);
  stopping_.assign(touches_.size(), {});
  for (int c = 0; c < start.rows.count(); ++c)
    if (const int touch = find(start.rows.contact(c)); touch >= 0) {
      slips_[static_cast<std::size_t>(touch)] = start.rows.slip(c, start.u);
      spins_[static_cast<std::size_t>(touch)] = start.rows.spin(c, start.u);
    }
}

int HeldTouches::find(const Contact& contact) const {
  const Touch* touch = find_touch(touches_, contact);
  return touch ? static_cast<int>(touch - touches_.data()) : -1;
}

bool HeldTouches::has_come(const Touch& touch) const {
  return !std::binary_search(touches_.begin(), touches_.end(), touch, Touch::before);
}

/// A vector of one of the touches, turned as its contact at the end is.
Vec3 HeldTouches::turned_to_end(const Contact& at_end, const std::vector<Vec3>& of_touches) const {
  const int touch = find(at_end);
  if (touch < 0) return Vec3::Zero();
  const std::size_t number = static_cast<std::size_t>(touch);
  return turned(touches_[number].normal, at_end.normal, of_touches[number]);
}

Vec3 HeldTouches::slip_before(const ContactRows& at_end, int contact) const {
  return at_end.along(contact, turned_to_end(at_end.contact(contact), slips_));
}

// With a constant force, and the slips at both ends. It never gives: where these say so, as of what
// turns back and opens, that is an error of the part.
double HeldTouches::friction_work(const ContactRows& at_end, int contact, const KeptVec& impulse,
                                  const KeptVec& u) const {
  const Contact& of = at_end.contact(contact);
  const Vec3 slip = at_end.slip(contact, u) + turned_to_end(of, slips_);
  const Vec3 spin = at_end.spin(contact, u) + turned_to_end(of, spins_);
  const Vec3 force = at_end.force(contact, impulse);
  const double work = (force - force.dot(of.normal) * of.normal).dot(slip) +
                      at_end.torque(contact, impulse).dot(spin);
  return 0.5 * std::min(0.0, work);
}

void HeldTouches::note_ways(const VecX& displacement, const ContactRows& at_start,
                            const ContactRows& at_end) {
  const auto whole = [&](const ContactRows& rows, int c) {
    return Vec3(rows.slip(c, u_) + u_[3 * c] * rows.contact(c).normal);
  };
  ways_at_start_.assign(touches_.size(), Vec3::Zero());
  at_start.velocities(displacement, u_);
  for (int c = 0; c < at_start.count(); ++c)
    if (const int touch = find(at_start.contact(c)); touch >= 0)
      ways_at_start_[static_cast<std::size_t>(touch)] = whole(at_start, c);
  at_end.velocities(displacement, u_);
  ways_.resize(static_cast<std::size_t>(at_end.count()));
  turns_.assign(static_cast<std::size_t>(at_end.count()), 0);
  for (int c = 0; c < at_end.count(); ++c) {
    const std::size_t number = static_cast<std::size_t>(c);
    ways_[number] = 0.5 * (whole(at_end, c) + turned_to_end(at_end.contact(c), ways_at_start_));
    for (const ContactRows::Block& block : at_end.blocks(c))
      if (block.size == 6 && displacement.segment<3>(block.dof + 3).norm() > no_turn)
        turns_[number] = 1;
  }
}

}  // namespace taut
