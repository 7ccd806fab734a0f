// Which contacts bear a load, and how they push: what a part leaves to the next.
#pragma once

#include <vector>

#include "taut/simulate/contact_problem.hpp"
#include "taut/simulate/contact_sleep.hpp"

namespace taut {

/// Whether the same features touch, and go on sticking or sliding.
bool is_same(const std::vector<Touch>& one, const std::vector<Touch>& other);

struct ContactLoads {
  std::vector<Touch> touches = no_touches();  ///< of those awake, by source and feature
  VecX forces;  ///< what they did in the last part, per velocity: if asked for
  bool sums_forces = false;

  const Touch* find(const Contact& contact) const { return find_touch(touches, contact); }
  /// Their impulses in a part, at contacts that may have turned since.
  void recall(const ContactRows& rows, double length, KeptVec& impulse) const;
  /// Those of the problem just solved for a part, with velocities u. What opens faster than
  /// `opening` bears no load, whatever round-off says.
  void remember(const ContactRows& rows, const ContactProblem& problem, const KeptVec& u,
                double length, double opening);
  /// Those of a step that was solved by somebody else: what pushes bears a load.
  void remember(const ContactRows& rows, const KeptVec& force);
  /// m: how far apart contacts are that bear a load, at most; of rigid ones.
  double widest_gap(const ContactRows& rows) const;

 private:
  void add(const ContactRows& rows, int contact, const KeptVec& impulse, double length);
};

}  // namespace taut
