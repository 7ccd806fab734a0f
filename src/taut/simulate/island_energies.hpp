// The energy of each island of bodies that touch, and what of it is an error: the surplus. For what
// contacts do to the energy is known: friction takes what it takes, and all else that goes on
// touching takes and gives nothing. What a part did beyond that is an error of its order. It goes
// out of the speeds of the island's bodies, all in proportion, so that what sticks, rolls or hangs
// on constraints does so after it as well.
#pragma once

#include <vector>

#include "taut/simulate/contact_problem.hpp"

namespace taut {

/// Of a body, ½ v·M v − ½ w·M w = ½ (v − w)·M (v + w), without cancellation.
double kinetic_change(const System& system, int body, const VecX& w, const VecX& v);

class IslandEnergies {
 public:
  /// Of the problem just solved, with its impulses at these rows, and of bodies with velocities v.
  /// No island has a surplus yet.
  void look(const System& system, const ContactProblem& problem, const ContactRows& rows,
            const VecX& v);
  /// One of these contacts bore a load in the part, though it may not at its end: what it touches
  /// is one island.
  void note_touch(const ContactRows& rows, int contact);
  /// J, of the island of a body.
  double& surplus(int body) { return of(body).surplus; }
  /// Whether anything in the island of a body bears a load.
  bool touches(int body) const { return islands_[index(body)].touches; }
  /// Whether an island that touches gained more than this part of its kinetic energy.
  bool has_gained(double part) const;
  /// Takes surpluses out of the speeds; with `gives_back`, what is missing comes back, too. Where
  /// `is_free`, islands that the world does not touch keep their momentum.
  void take(const System& system, bool is_free, bool gives_back, State& state) const;

 private:
  struct Island {
    double surplus = 0, kinetic = 0, mass = 0;
    Vec3 momentum = Vec3::Zero();
    bool is_held = false;  // by the world
    bool touches = false;
  };
  std::size_t index(int body) const;
  Island& of(int body) { return islands_[index(body)]; }

  std::vector<std::size_t> first_;  // per body: nearer to the first of its island, or itself
  std::vector<Island> islands_;     // per body, at the first of an island
};

}  // namespace taut
