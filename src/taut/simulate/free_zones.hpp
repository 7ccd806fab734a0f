// What hangs together by constraints, forces and touches, and by nothing of the world: the sum of
// all forces on it is that from outside, so its momentum is known.
//
// Where Newton's method ends with something left of the equations, r, these leave Σ r of a force
// from nowhere on such a zone. Its bodies together are moved by −h² Σ r / Σ m: nothing between them
// changes by that, and the momentum is right again.
#pragma once

#include <span>
#include <vector>

#include "taut/base/joined_sets.hpp"
#include "taut/model/rows.hpp"
#include "taut/model/system.hpp"

namespace taut {

class FreeZones {
 public:
  /// Each body alone, and the world.
  void begin(const System& system);
  /// What rows and forces join; J tells whether a row holds the whole of its bodies.
  void join_rows(const System& system, const RowPattern& pattern, const VecX& J);
  void join(int body, int other) { zones_.join(body, other); }
  void hold(int body) { join(body, static_cast<int>(zones_.size()) - 1); }

  /// The way of each body, per velocity, that leaves nothing of Σ r. False: there is none to go.
  bool way(const System& system, double h, const VecX& r, VecX& way);

 private:
  JoinedSets zones_;          // of bodies, and at the end the world
  std::vector<int> body_;     // per velocity
  std::vector<double> mass_;  // of each zone, at the one that stands for it
  std::vector<Vec3> left_;
};

}  // namespace taut
