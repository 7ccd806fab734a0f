// Rays, and moving shapes: when do they first touch?
#pragma once

#include "taut/collision/distance.hpp"

namespace taut::collision {

struct RayHit {
  double t = 0;  ///< the ray enters the shape at origin + t·direction
  Vec3 point = Vec3::Zero();
  Vec3 normal = Vec3::UnitZ();  ///< outward normal there; against the ray when it starts inside
  int part = -1;                ///< piece of a compound or triangle
};

/// The first point of a shape on a ray, 0 ≤ t ≤ longest; false when there is none. A ray that
/// starts inside hits at t = 0. Meshes and height fields are hit from either side. `direction` need
/// not be of unit length.
bool ray_cast(const Shape& shape, const Pose3& at, const Vec3& origin, const Vec3& direction,
              double longest, RayHit& hit);

/// A rigid motion during 0 ≤ t ≤ 1: the origin of the frame moves on a straight line, and the frame
/// turns about a fixed axis at constant speed.
struct Motion3 {
  Pose3 start;
  Vec3 shift = Vec3::Zero();
  Vec3 turn = Vec3::Zero();  ///< rotation vector in the world

  Motion3() = default;
  explicit Motion3(const Pose3& at_rest) : start(at_rest) {}
  /// With these velocities for the time `duration`; the origin of the frame has `velocity`.
  Motion3(const Pose3& from, const Vec3& velocity, const Vec3& angular_velocity, double duration)
      : start(from), shift(velocity * duration), turn(angular_velocity * duration) {}
  /// Between two poses, the shorter way round.
  Motion3(const Pose3& from, const Pose3& to);

  Pose3 at(double t) const;
};

struct Impact {
  bool hit = false;
  double t = 1;       ///< the gap is above 0 before, whether or not there is a hit
  Distance distance;  ///< at t; of a hit: its gap is at most `tolerance`
  bool settled =
      true;  ///< false: stopped at t after too many steps, and nothing is known of later times
};

/// The first t at which the gap is at most `tolerance` (> 0, a length). Conservative advancement: t
/// only ever grows by times in which the shapes cannot meet, so nothing is passed through at any
/// speed. Shapes that overlap at the start hit at t = 0.
Impact time_of_impact(const Shape& a, const Motion3& motion_a, const Shape& b,
                      const Motion3& motion_b, double tolerance);

}  // namespace taut::collision
