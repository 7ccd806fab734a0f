#pragma once

#include "taut/base/types.hpp"

namespace taut {

/// The only thing that changes in a step. Plain and copyable.
/// q: per particle its position (3); per rigid body position and unit quaternion w x y z (7).
///    For a joint whose full turns matter to a force, also its angle (1): System::count_turns().
/// v: per particle its velocity (3); per rigid body velocity (world) and angular velocity (body
///    frame) (6). In the body frame the inertia is constant, and so is the mass matrix.
struct State {
  double time = 0;
  VecX q;
  VecX v;
};

}  // namespace taut
