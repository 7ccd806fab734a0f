// Joints in a row without a body between them, as MJCF has them in one body, and SDF and URDF as
// links without mass. All treatments are exact:
//
// *Compound*: slides along axes of one frame that are square to each other, then turns about axes
// through one point (two that are not parallel; three of which each is square to the next; or a
// ball). The bodies' relative places then obey simple rows, and each position is a coordinate of
// the two bodies: a slide; the first and last turn seen in the plane square to their axes; the
// middle one of three as the angle between the other axes, so from −90° to 90°.
//
// *Borrowed*: two joints, one of which at least turns. A body is put between them that adds nothing
// to the energy. Points on the axis of a hinge are shared by both its bodies, as are rotations
// except that about the axis. So one may take a point mass from one side and put it on the other,
// and likewise an inertia J (1 − a aᵀ); of a slide, any inertia. What the body between gets is
// taken from its neighbours (the world has enough).
#pragma once

#include <vector>

#include "taut/robot/robot_bodies.hpp"

namespace taut::io {

/// An axis of a joint in the world, at the start.
struct ChainAxis {
  int joint = -1;
  JointType type = JointType::revolute;
  bool turns = true;
  Vec3 point = Vec3::Zero(), direction = Vec3::UnitZ();
};
std::vector<ChainAxis> chain_axes(const Robot& robot, const std::vector<Frame>& frames,
                                  const RobotBodies::Chain& chain);

/// Whether these, at least two, can be one joint.
bool is_compound(const std::vector<ChainAxis>& axes);

/// Makes the body between two joints by what its neighbours can spare. `a`, `b`: the bodies on both
/// sides, null for the world; `Body::center` and `inertia` along the axes of the world here. False
/// where that cannot be.
bool borrow(const std::vector<ChainAxis>& axes, RobotBodies::Body* a, RobotBodies::Body& between,
            RobotBodies::Body& b);

}  // namespace taut::io
