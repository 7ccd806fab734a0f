// How far apart two shapes are, or how deep they overlap.
//
// One number covers both: for a direction n, the shapes are apart by
//   s(n) = min n·b − max n·a   over the points a of A and b of B,
// and the gap is the largest s(n) over all unit n. Apart, it is the distance; when they overlap it
// is negative, and −gap is the shortest way by which B has to be moved for them only to touch. (The
// difference B − A of Minkowski, whose point nearest to the origin is sought, is in van den Bergen,
// Collision Detection in Interactive 3D Environments, 2004.)
//
// Everywhere in this folder the *normal* is this n: it points from a to b.
#pragma once

#include "taut/collision/shape.hpp"

namespace taut::collision {

struct Distance {
  Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();  ///< in the world: on_b − on_a = gap·normal
  Vec3 normal = Vec3::UnitZ();
  double gap = 0;
  double error = 0;  ///< bound: how much the true gap can differ
};

/// Of any two shapes. For compounds: the least over their pieces; for meshes and height fields:
/// over their triangles as thin plates, whichever side they are seen from. Throws Error for two of
/// {plane, mesh, height field}.
Distance distance(const Shape& a, const Pose3& at_a, const Shape& b, const Pose3& at_b);

/// Whether they have a point in common.
bool overlap(const Shape& a, const Pose3& at_a, const Shape& b, const Pose3& at_b);

}  // namespace taut::collision
