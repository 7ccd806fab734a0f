// Polyhedra from their faces.
#pragma once

#include <optional>

#include "taut/collision/shape.hpp"

namespace taut::collision::detail {

/// Fills in all that follows from vertices and faces (numbers of vertices, counter-clockwise seen
/// from outside). Throws Error if some edge is not between two faces.
Hull assemble_hull(std::vector<Vec3> vertices, const std::vector<std::vector<int>>& faces);

/// Of the convex hull of points; none if they are in one plane or nearly so.
std::optional<double> hull_volume(std::span<const Vec3> points);

}  // namespace taut::collision::detail
