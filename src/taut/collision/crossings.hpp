// Whether surfaces go through each other or through shapes, found by trying: edges against
// triangles with exact signs, triangles against shapes by a search. For checks and tests, and on
// purpose without any of the code that finds contacts.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "taut/collision/shape.hpp"

namespace taut::collision {

struct CheckedSurface {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
  std::vector<std::array<int, 2>> edges;  ///< of no triangle
  bool is_fixed = false;                  ///< crossings of two such are not looked for
};

/// An edge of one surface, maybe the same, has a point in common with a triangle of another with
/// which it shares no vertex.
struct Crossing {
  int edge_surface = 0;
  std::array<int, 2> edge{};  ///< vertices
  int triangle_surface = 0;
  int triangle = 0;
};
/// In order, at most `most`. Triangles without area are left out.
std::vector<Crossing> find_crossings(std::span<const CheckedSurface> surfaces,
                                     std::size_t most = static_cast<std::size_t>(-1));

/// How deep in a shape the deepest point of each triangle is.
struct Intrusion {
  int triangle = 0;
  Vec3 place = Vec3::Zero();  ///< the deepest point
  double depth = 0;           ///< from the nearest face of the shape, about
};
/// Triangles with a point deeper than `least` in a convex shape, a compound or a plane. (Of rounded
/// hulls, cones and ellipsoids only the core counts. Meshes and height fields are surfaces: see
/// find_crossings().)
std::vector<Intrusion> find_intrusions(const CheckedSurface& surface, const Shape& shape,
                                       const Pose3& at, double least);

/// A mesh or a height field as a surface that does not move.
CheckedSurface checked_surface(const Shape& shape, const Pose3& at);

}  // namespace taut::collision
