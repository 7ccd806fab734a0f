#include "loads.hpp"

#include "taut/forces/force_batch.hpp"

namespace taut::python {

void LoadForce::add(const System& system, const Pose& pose, const VecX&, double, VecX& F) const {
  for (const Loads::OnBody& load : loads->on_bodies) {
    pose.add_force(load.point, load.force, F);
    const BodySlot& slot = system.slot(load.point.body);
    if (slot.rigid >= 0)
      F.segment<3>(slot.v + 3) += pose.inverses[static_cast<std::size_t>(slot.rigid)] * load.torque;
  }
  for (const Loads::OnJoint& load : loads->on_joints) {
    Coordinate::Places x;
    for (int k = 0; k < 3; ++k) x.col(k) = pose.at(load.joint.anchors[static_cast<std::size_t>(k)]);
    const Coordinate::Places gradient = load.joint.gradient(x);
    for (int k = 0; k < 3; ++k)
      pose.add_force(load.joint.anchors[static_cast<std::size_t>(k)], load.torque * gradient.col(k),
                     F);
  }
}

void apply_loads(System& system, std::shared_ptr<const Loads> loads) {
  apply(system, LoadForce{std::move(loads)});
}

}  // namespace taut::python
