// Surfaces of triangles: meshes with a tree, and height fields.
#pragma once

#include "taut/collision/core_internal.hpp"
#include "taut/collision/tree.hpp"

namespace taut::collision {

struct TriangleMesh {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
  std::vector<std::array<int, 3>> neighbours;  ///< across the edge from corner k to k + 1; −1: none
  BoxTree tree;
  Bounds box;
  bool is_closed = false;
};

struct HeightField {
  int columns, rows;
  double spacing;
  std::vector<double> heights;
  Bounds box;

  Vec3 at(int x, int y) const {
    return {x * spacing, y * spacing, heights[static_cast<std::size_t>(x + columns * y)]};
  }
};

namespace detail {

/// A triangle of a surface, with the triangles beside it.
struct SurfaceTriangle {
  int number;
  std::array<Vec3, 3> corner;
  Vec3 normal;
  std::array<Vec3, 3> across;     ///< normal of the triangle behind the edge from corner k to k + 1
  std::array<bool, 3> is_shared;  ///< whether there is one
};

int triangle_count(const Shape& surface);
std::array<Vec3, 3> corners(const Shape& surface, int number);
/// Of unit length. The corners are not in a line.
Vec3 triangle_normal(const std::array<Vec3, 3>& corners);
SurfaceTriangle triangle(const Shape& surface, int number);

/// Calls visit(number) for every triangle whose bounding box overlaps `box`.
template <class Visit>
void for_each_triangle(const Shape& surface, const Bounds& box, Visit&& visit) {
  if (surface.type == ShapeType::mesh) {
    surface.mesh->tree.overlapping(box, [&](int number) {
      visit(number);
      return true;
    });
    return;
  }
  const HeightField& field = *surface.height_field;
  if (!field.box.overlaps(box)) return;
  const auto cell = [&](double x, int count) {
    return static_cast<int>(std::clamp(std::floor(x / field.spacing), 0.0, count - 2.0));
  };
  for (int y = cell(box.low.y(), field.rows); y <= cell(box.high.y(), field.rows); ++y)
    for (int x = cell(box.low.x(), field.columns); x <= cell(box.high.x(), field.columns); ++x) {
      const double a = field.at(x, y).z(), b = field.at(x + 1, y).z();
      const double c = field.at(x, y + 1).z(), d = field.at(x + 1, y + 1).z();
      const int first = 2 * (x + (field.columns - 1) * y);
      // The cell is divided by the diagonal from (x, y) to (x + 1, y + 1).
      if (std::min({a, b, d}) <= box.high.z() && std::max({a, b, d}) >= box.low.z()) visit(first);
      if (std::min({a, c, d}) <= box.high.z() && std::max({a, c, d}) >= box.low.z())
        visit(first + 1);
    }
}

}  // namespace detail
}  // namespace taut::collision
