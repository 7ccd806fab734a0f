// An independent judge of distances between convex shapes, in long double and with code of its own.
//
// A distance d > 0 is proved from both sides: the direction n with s(n) = min n·b − max n·a = d
// shows that it is at least d, and points of both bodies at the distance d that it is at most d.
// How deep bodies overlap is the least −s(n) over all directions: of polytopes only normals of
// faces and of pairs of edges can be the best one, and all are tried; of round bodies it is
// searched for.
#pragma once

#include <string>

#include "taut/collision/distance.hpp"

namespace taut::testing {

/// What is wrong with a result by more than `tolerance` (a length); empty when nothing is.
std::string wrong_distance(const collision::Shape& a, const collision::Pose3& at_a,
                           const collision::Shape& b, const collision::Pose3& at_b,
                           const collision::Distance& result, double tolerance);

/// The gap along n, as above.
double separation(const collision::Shape& a, const collision::Pose3& at_a,
                  const collision::Shape& b, const collision::Pose3& at_b, const Vec3& n);

/// How far a point at which a convex shape has the outward normal n is from being in the shape: how
/// far the point of the core that belongs to it is from the core. 0 inside.
double outside(const collision::Shape& shape, const collision::Pose3& at, const Vec3& point,
               const Vec3& n);

}  // namespace taut::testing
