// Shapes that can touch.
//
// A shape is a small value: its type, three numbers, a rounding radius, and for hulls, meshes,
// height fields and compounds a pointer to data that copies share and nobody changes. It has no
// place of its own: every query takes shapes together with their poses.
//
// A convex shape is a *core* plus a ball of a radius ≥ 0 (Minkowski sum): a sphere is a point, a
// capsule a segment, a rounded box a box. Distances are computed between cores, where they are
// exact or nearly so, and the radii are subtracted. The hard case of collision detection, how deep
// two bodies overlap, arises only when their cores overlap.
//
//   type          core                                        size
//   plane         all points with z ≤ 0                       –
//   sphere        the origin                                  –
//   capsule       segment from −h to h on the z axis          (0, 0, h)
//   box           |x| ≤ a, |y| ≤ b, |z| ≤ c                   (a, b, c)
//   cylinder      about the z axis, −h ≤ z ≤ h                (r, r, h)
//   cone          base at z = −h, apex at z = h               (r, r, h)
//   ellipsoid     semi-axes along x, y, z                     (a, b, c)
//   hull          convex hull of points                       –
//   compound      convex shapes, each with a pose             –
//   mesh          triangles, seen from one side               –
//   height_field  triangles over a grid in x and y            –
//
// Meshes and height fields are surfaces, for things that do not move: the side from which the
// vertices of a triangle appear counter-clockwise is outside. Two of {plane, mesh, height field}
// have no contacts with each other.
//
// The functions that make shapes throw Error for what is no such shape, and say what was expected.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "taut/base/types.hpp"
#include "taut/collision/pose3.hpp"

namespace taut::collision {

enum class ShapeType : std::uint8_t {
  plane,
  sphere,
  capsule,
  box,
  cylinder,
  cone,
  ellipsoid,
  hull,
  compound,
  mesh,
  height_field
};
std::string_view name(ShapeType type);

/// Corners of a box along the axes.
struct Bounds {
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();

  bool overlaps(const Bounds& other) const {
    return low.x() <= other.high.x() && other.low.x() <= high.x() && low.y() <= other.high.y() &&
           other.low.y() <= high.y() && low.z() <= other.high.z() && other.low.z() <= high.z();
  }
  bool contains(const Bounds& other) const {
    return (low.array() <= other.low.array()).all() && (other.high.array() <= high.array()).all();
  }
  Bounds grown(double by) const { return {low.array() - by, high.array() + by}; }
  Bounds united(const Bounds& other) const {
    return {low.cwiseMin(other.low), high.cwiseMax(other.high)};
  }
  /// Half the surface: what the cost of a tree is measured in.
  double half_area() const {
    const Vec3 d = high - low;
    return d.x() * d.y() + d.y() * d.z() + d.z() * d.x();
  }
};

class BoxTree;
struct Hull;
struct TriangleMesh;
struct HeightField;
struct Piece;

struct Shape {
  ShapeType type = ShapeType::sphere;
  Vec3 size = Vec3::Zero();  ///< of the core, see above
  double radius = 0;         ///< of the ball that is added to the core
  std::shared_ptr<const Hull> hull;
  std::shared_ptr<const TriangleMesh> mesh;  ///< or the surface that a compound was made from
  std::shared_ptr<const HeightField> height_field;
  std::shared_ptr<const std::vector<Piece>> pieces;  ///< of a compound
  std::shared_ptr<const BoxTree> piece_tree;         ///< of their bounding boxes, in its frame

  /// Whether it is one convex body of finite size.
  bool is_convex() const { return type != ShapeType::plane && type < ShapeType::compound; }
};

/// A part of a compound.
struct Piece {
  Shape shape;
  Pose3 pose;  ///< in the frame of the compound
};

Shape plane();
Shape sphere(double radius);
Shape capsule(double half_length, double radius);
Shape box(const Vec3& half_size);
Shape cylinder(double radius, double half_length);
Shape cone(double radius, double half_height);
Shape ellipsoid(const Vec3& semi_axes);
/// Of at least four points that are not in one plane; those inside are dropped.
Shape convex_hull(std::span<const Vec3> points);
/// Of convex shapes. They may overlap in contacts, but mass_properties() counts an overlap twice.
Shape compound(std::vector<Piece> pieces);
/// Triangles as numbers of vertices, counter-clockwise seen from outside.
Shape triangle_mesh(std::vector<Vec3> vertices, std::vector<std::array<int, 3>> triangles);
/// heights[x + columns·y] over the points (x·spacing, y·spacing); outside is above (+z).
Shape height_field(int columns, int rows, double spacing, std::vector<double> heights);
/// A convex shape grown by a ball of this radius on all sides.
Shape rounded(Shape shape, double radius);

/// The point of a convex shape that is farthest in a direction of its frame, which need not be of
/// unit length. For the direction 0: some point of the shape.
Vec3 support(const Shape& shape, const Vec3& direction);

/// Of a plane: infinite on all sides but its own.
Bounds bounds(const Shape& shape, const Pose3& pose);

/// The greatest distance of a point of the shape from the origin of its frame.
double reach(const Shape& shape);

/// A convex polyhedron. Faces are polygons, counter-clockwise seen from outside.
struct Hull {
  struct Edge {
    std::array<int, 2> vertex;
    std::array<int, 2> face;  ///< the first has the vertices in this order
  };
  std::vector<Vec3> vertices;
  std::vector<double> x, y, z;   ///< the vertices by coordinate: quick to search
  std::vector<int> face_start;   ///< where a face begins in the next two; one more at the end
  std::vector<int> face_vertex;  ///< the vertices of all faces, one face after the other
  std::vector<int> face_edge;    ///< from that vertex to the next one of the face
  std::vector<Vec3> normals;     ///< outward, of unit length
  std::vector<double> offsets;   ///< normal·x of a face
  std::vector<Edge> edges;
  std::vector<int> neighbour_start, neighbours;  ///< the vertices at the edges of each vertex
  std::vector<int> faces_beside;                 ///< as many of each vertex: the faces beside it

  int face_count() const { return static_cast<int>(normals.size()); }
};

}  // namespace taut::collision
