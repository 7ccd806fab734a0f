// Fast motions: what may get through what.
#pragma once

#include "taut/collision/cast.hpp"
#include "taut/model/system.hpp"

namespace taut::collision::detail {

Pose3 body_pose(const Pose& pose, BodyId body);

/// What has this pose in a frame, as a shape of that frame: motions are those of bodies.
Shape in_frame(const Shape& shape, const Pose3& pose);

/// About how thick a shape is where it is thinnest. A surface and a plane have no thickness that
/// could be passed: infinite.
double least_width(const Shape& shape);

/// Whether one of them is on the other side of the other in the end, and they met in between. The
/// widths are those of least_width().
bool passes(const Shape& a, const Motion3& motion_a, double width_a, const Shape& b,
            const Motion3& motion_b, double width_b);

/// How much of a straight way a shape may go until it is as near as `room` to another one.
double free_part(const Shape& moves, const Pose3& from, const Vec3& way, const Shape& stays,
                 const Pose3& at, double room);

}  // namespace taut::collision::detail
