// What the queries share: pairs of convex pieces, and how shapes are taken apart into them.
#pragma once

#include "taut/collision/distance.hpp"
#include "taut/collision/gjk_internal.hpp"
#include "taut/collision/triangles_internal.hpp"

namespace taut::collision::detail {

/// Of two convex bodies with their radii. A gap above `cutoff` need not be the whole distance.
Distance convex_gap(const Core& a, const Pose3& at_a, const Core& b, const Pose3& at_b,
                    double cutoff);
/// The plane is a.
Distance plane_gap(const Pose3& plane, const Core& b, const Pose3& at_b);

inline Distance swapped(const Distance& d) { return {d.on_b, d.on_a, -d.normal, d.gap, d.error}; }

inline bool is_surface(const Shape& shape) {
  return shape.type == ShapeType::mesh || shape.type == ShapeType::height_field;
}

/// The bounding box of a convex body in the frame of a surface.
inline Bounds bounds_seen_from(const Pose3& surface, const Core& core, const Pose3& at) {
  return bounds(core, surface.relative(at));
}

/// Throws Error for two shapes of which neither has a finite convex part.
void require_pair(const Shape& a, const Shape& b);

}  // namespace taut::collision::detail
