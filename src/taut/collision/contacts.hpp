// Contact manifolds: a few points that stand for the region in which two shapes touch or nearly do.
//
// Flat on flat gives the corners of the common region, at most `most_contacts` of them; an edge or
// a side line on a flat gives its two ends; anything else gives one point. A round cap on a flat
// gives points spread along its rim. The deepest point is always among them.
//
// Points with a gap of up to `margin` are given, so that bodies that are about to touch can be
// stopped in time (speculative contacts). All points of a convex pair have the same normal, which
// is the normal of distance(); `gap` is measured along it. The exception are two capsules, whose
// points have normals of their own.
//
// The id of a point is made of the features (vertices, edges, faces, pieces, triangles) that touch.
// While these stay the same it stays the same, so that a solver can start from last step's forces.
// Within one call of contacts() no two ids are equal.
//
// Meshes and height fields: contacts push outwards, along the normal of a triangle or, at a convex
// edge, between the normals of the two triangles there. Edges between triangles in one plane and
// hollow edges never push by themselves, so nothing that slides over a floor of triangles catches
// on their edges. What is farther behind a triangle than the shape is thick is not pushed by it.
#pragma once

#include <cstdint>
#include <vector>

#include "taut/collision/distance.hpp"

namespace taut::collision {

inline constexpr int most_contacts = 8;  ///< per pair of convex pieces

struct ContactPoint {
  Vec3 on_a, on_b;  ///< in the world: on_b − on_a = gap·normal
  Vec3 normal;      ///< from a to b
  double gap;       ///< negative: penetration
  std::uint64_t feature;
};

/// Appends the contacts to `out`; allocates nothing once `out` has grown to its size.
void contacts(const Shape& a, const Pose3& at_a, const Shape& b, const Pose3& at_b, double margin,
              std::vector<ContactPoint>& out);

}  // namespace taut::collision
