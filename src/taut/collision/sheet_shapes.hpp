// Where a Sheet is near a shape: at its vertices, and where corners, edges and round sides of the
// shape are nearest to the inside of a triangle or an edge of the sheet, at those.
//
// The distances are those of distance.hpp: exact or nearly so, inside as well as outside. Meshes
// and height fields are sheets themselves (Sheet::add_triangles, is_fixed) and are not looked at
// here.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "taut/collision/sheet_tree.hpp"

namespace taut::collision {

struct NearShape {
  std::array<int, 3> vertex{-1, -1, -1};  ///< −1: fewer take part
  std::array<double, 3> weight{};  ///< the point of the sheet is Σ weight·x; they add up to 1
  Vec3 on_shape = Vec3::Zero();
  Vec3 normal = Vec3::UnitZ();  ///< from the shape to the sheet
  double gap = 0;               ///< negative: inside
  std::uint64_t feature = 0;    ///< made of the vertices and the piece of a compound
};

/// Appends all places with a gap of at most `reach` and the ways of their vertices (may be empty).
/// `tree` was refitted to x with these ways and at least half the reach as margin. Vertices that
/// are fixed are left out. Each vertex, edge and triangle comes once for each convex piece.
void find_near_shape(const Sheet& sheet, const SheetTree& tree, std::span<const Vec3> x,
                     std::span<const double> way, const Shape& shape, const Pose3& at, double reach,
                     std::vector<NearShape>& out);

}  // namespace taut::collision
