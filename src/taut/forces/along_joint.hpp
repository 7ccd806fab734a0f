// What forces along the coordinate of a joint have in common.
#pragma once

#include "taut/model/batches.hpp"
#include "taut/model/coordinate.hpp"
#include "taut/model/pose.hpp"

namespace taut {

inline Coordinate::Places places_of(const Coordinate& joint, const Pose& pose) {
  Coordinate::Places x;
  for (int k = 0; k < 3; ++k) x.col(k) = pose.at(joint.anchors[static_cast<std::size_t>(k)]);
  return x;
}
inline Coordinate::Places velocities_of(const Coordinate& joint, const Pose& pose, const VecX& v) {
  Coordinate::Places x;
  for (int k = 0; k < 3; ++k)
    x.col(k) = pose.velocity(joint.anchors[static_cast<std::size_t>(k)], v);
  return x;
}
/// Adds the generalised force of `torque` along a coordinate with that gradient.
inline void add_along(const Coordinate& joint, const Pose& pose, double torque,
                      const Coordinate::Places& gradient, VecX& F) {
  for (int k = 0; k < 3; ++k)
    pose.add_force(joint.anchors[static_cast<std::size_t>(k)], torque * gradient.col(k), F);
}
/// What a type's stiff() tells: see ForceBatch::visit_stiff().
struct StiffForce {
  double stiffness, damping;
};
inline ForceBatch::Along torque_along(const Coordinate& joint, double torque) {
  return joint.is_turn() ? ForceBatch::Along{torque, "torque", "N·m"}
                         : ForceBatch::Along{torque, "force", "N"};
}

}  // namespace taut
