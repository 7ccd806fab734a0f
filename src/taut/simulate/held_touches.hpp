// What touches at the start of a part that is held and goes on doing so: how it slid then, how far
// it went since, and whether it comes to rest.
#pragma once

#include <vector>

#include "taut/simulate/contact_look.hpp"
#include "taut/simulate/held_laws.hpp"

namespace taut {

class HeldTouches {
 public:
  /// Of what bears a load, what has no gap and does not approach.
  void start(const ContactLook& start, const ContactLoads& loads);
  /// Its slips. Nothing comes to rest yet.
  void note_slips(const ContactLook& start);

  /// Which of them a contact is; −1: none.
  int find(const Contact& contact) const;
  /// Whether it is none of them.
  bool has_come(const Touch& touch) const;
  const Touch& operator[](int touch) const { return touches_[static_cast<std::size_t>(touch)]; }
  /// How it comes to rest; none: it does not.
  const Stopping* stopping(int touch) const {
    return stops_[static_cast<std::size_t>(touch)] ? &stopping_[static_cast<std::size_t>(touch)]
                                                   : nullptr;
  }
  void stop(int touch, const Stopping& how) {
    stops_[static_cast<std::size_t>(touch)] = 1;
    stopping_[static_cast<std::size_t>(touch)] = how;
  }

  /// The slip at the start of the part, as numbers of a contact at the end.
  Vec3 slip_before(const ContactRows& at_end, int contact) const;
  /// J, what friction does in the part with these impulses, and velocities u at the end.
  double friction_work(const ContactRows& at_end, int contact, const KeptVec& impulse,
                       const KeptVec& u) const;

  /// How far a displacement moved the contacts, with H as the mean of both ends.
  void note_ways(const VecX& displacement, const ContactRows& at_start, const ContactRows& at_end);
  const Vec3& way(int contact) const { return ways_[static_cast<std::size_t>(contact)]; }
  /// Whether a body of a contact turned by that.
  bool turns(int contact) const { return turns_[static_cast<std::size_t>(contact)] != 0; }

 private:
  Vec3 turned_to_end(const Contact& at_end, const std::vector<Vec3>& of_touches) const;

  std::vector<Touch> touches_;
  // Per touch:
  std::vector<Vec3> slips_;          // m/s, in the world, at the start
  std::vector<Vec3> spins_;          // rad/s, the same: one body against the other
  std::vector<char> stops_;          // it comes to rest in the part
  std::vector<Stopping> stopping_;   // … how; friction is a force
  std::vector<Vec3> ways_at_start_;  // m
  // Per contact at the end:
  std::vector<Vec3> ways_;   // m, in the world
  std::vector<char> turns_;  // a body of it turns
  KeptVec u_;
};

}  // namespace taut
