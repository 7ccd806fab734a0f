// The last resort where a step of touching cloth cannot be solved: rigid zones (Bridson, Fedkiw and
// Anderson 2002; Harmon, Vouga, Tamstorf and Grinspun 2008).
//
// What hangs together by touches and constraints is a zone. It stays where it is for this step, as
// no place is as surely free, and goes on with the velocity of one rigid body of the same momentum
// and angular momentum: a blow without any rebound, which satisfies all constraints and closes no
// gap. A zone that is held by the world comes to rest. What nothing touches keeps its velocity.
#pragma once

#include <span>
#include <vector>

#include "taut/base/joined_sets.hpp"
#include "taut/model/sheet_source.hpp"
#include "taut/model/system.hpp"

namespace taut {

class RigidZones {
 public:
  /// Replaces v by what is left of it.
  void unite(const System& system, const Pose& pose, std::span<const SheetTouch> touches, VecX& v);

 private:
  void join_constraints(const System& system);

  JoinedSets zones_;           // of bodies, and at the end the world
  std::vector<char> touched_;  // per body, and the world
};

}  // namespace taut
