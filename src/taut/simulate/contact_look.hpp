// What there is at the start of a part of a step: contacts, stops and strings, how fast they close,
// and what is small there.
#pragma once

#include <vector>

#include "taut/simulate/contact_work.hpp"
#include "taut/simulate/held_bodies.hpp"
#include "taut/simulate/stops_ahead.hpp"

namespace taut {

class ContactLook {
 public:
  explicit ContactLook(ContactWork& work) : work_(work), scale_(work.scale) {}
  ContactLook(const ContactLook&) = delete;
  ContactLook& operator=(const ContactLook&) = delete;

  /// With `rest` left of a step of length h. Wakes up what may be reached.
  void look(const System& system, double h, double rest, const State& state, Workspace& w);

  ContactRows rows;
  KeptVec u, u_free;  ///< their velocities, and what forces would make of them until the end
  VecX F;             ///< forces
  StopsAhead stops;

  /// It has no gap, or none in no time.
  bool is_closed(int contact) const { return closed_[static_cast<std::size_t>(contact)] != 0; }
  /// It neither opens nor closes.
  bool is_still(int contact) const;
  /// Whether something that has no gap is approached too fast to be stopped without an impact.
  bool is_hit(bool locates) const;
  /// How long until a gap closes fast enough to be worth a cut; `rest` where none does.
  double time_to_hit(double rest, bool locates) const;
  int hits_within(double rest) const;
  /// Whether something touches, or will without being hit hard enough for a cut.
  bool touches_within(double length, bool locates) const;
  /// What touches now is what has touched, without approaching: it would move on while it is
  /// stopped. Nothing else is about to touch.
  bool is_steady(double length) const;

  /// out ← what F makes of v in a time h, each body by itself.
  void free_velocity(const System& system, double h, const VecX& v, VecX& out) const;

 private:
  void foresee_change(const System& system, double rest, const State& state, Workspace& w);
  void look_at_held(const System& system, const State& state, double steps, const Workspace& w);
  void look_at_loads(const System& system, double h);

  ContactWork& work_;
  ContactScale& scale_;
  HeldBodies held_;
  std::vector<char> closed_;  // per contact
  Pose pose_;
  double rest_ = 0;  // for which v_free_ is what F makes of v_
  VecX v_, v_free_;
  VecX change_, momentum_;
  KeptVec impulse_, u_loads_;
};

}  // namespace taut
