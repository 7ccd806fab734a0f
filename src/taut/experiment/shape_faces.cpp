// The surfaces of shapes as small polygons, counter-clockwise seen from outside.
#include <cmath>
#include <numbers>

#include "taut/collision/crossings.hpp"
#include "taut/experiment/shape_faces_internal.hpp"

namespace taut::experiment::detail {
namespace {

using collision::Shape;
using collision::ShapeType;

constexpr int around = 24, pieces = 6;

struct Ring {
  double radius, z;
};

/// From the lowest point of the axis to the highest.
std::vector<Ring> profile(const Shape& shape) {
  const double r = shape.size.x() + shape.radius, h = shape.size.z() + shape.radius;
  std::vector<Ring> rings;
  switch (shape.type) {
    case ShapeType::cylinder:
      rings.push_back({0, -h});
      for (int i = 0; i <= pieces; ++i) rings.push_back({r, h * (2.0 * i / pieces - 1)});
      rings.push_back({0, h});
      return rings;
    case ShapeType::cone:
      rings.push_back({0, -h});
      for (int i = 0; i <= pieces; ++i)
        rings.push_back({r * (1 - static_cast<double>(i) / pieces), h * (2.0 * i / pieces - 1)});
      return rings;
    default: {  // a ball, with a cylinder between its halves
      const bool is_ball = shape.type == ShapeType::ellipsoid;
      const double radius = is_ball ? 1 : shape.radius;
      const double half = shape.type == ShapeType::capsule ? shape.size.z() : 0;
      for (int i = 0; i <= 2 * pieces; ++i) {
        const double angle = std::numbers::pi * i / (2 * pieces);
        const double z = -radius * std::cos(angle);
        if (i == pieces && half > 0)
          for (int k = 0; k < pieces; ++k) rings.push_back({radius, half * (2.0 * k / pieces - 1)});
        rings.push_back({radius * std::sin(angle), z + (i < pieces ? -half : half)});
      }
      return rings;
    }
  }
}

void add_round(const Shape& shape, Polygons& out) {
  const std::vector<Ring> rings = profile(shape);
  const Vec3 scale = shape.type == ShapeType::ellipsoid ? shape.size : Vec3(Vec3::Ones());
  const auto at = [&](const Ring& ring, int k) -> Vec3 {
    const double angle = 2 * std::numbers::pi * k / around;
    return scale.cwiseProduct(
        Vec3(ring.radius * std::cos(angle), ring.radius * std::sin(angle), ring.z));
  };
  for (std::size_t i = 0; i + 1 < rings.size(); ++i)
    for (int k = 0; k < around; ++k)
      out.push_back(
          {at(rings[i], k), at(rings[i], k + 1), at(rings[i + 1], k + 1), at(rings[i + 1], k)});
}

/// A square of which the sides are `right` and `up` to both sides of the middle.
void add_square(const Vec3& middle, const Vec3& right, const Vec3& up, Polygons& out) {
  const auto at = [&](int i, int k) -> Vec3 {
    return middle + (2.0 * i / pieces - 1) * right + (2.0 * k / pieces - 1) * up;
  };
  for (int i = 0; i < pieces; ++i)
    for (int k = 0; k < pieces; ++k)
      out.push_back({at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k + 1)});
}

void add_box(const Vec3& half, Polygons& out) {
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0}) {
      const Vec3 middle = side * half[axis] * Vec3::Unit(axis);
      const int next = (axis + 1) % 3, last = (axis + 2) % 3;
      add_square(middle, side * half[next] * Vec3::Unit(next), half[last] * Vec3::Unit(last), out);
    }
}

void add_hull(const collision::Hull& hull, Polygons& out) {
  for (std::size_t f = 0; f < static_cast<std::size_t>(hull.face_count()); ++f) {
    std::vector<Vec3>& polygon = out.emplace_back();
    for (int i = hull.face_start[f]; i < hull.face_start[f + 1]; ++i)
      polygon.push_back(
          hull.vertices[static_cast<std::size_t>(hull.face_vertex[static_cast<std::size_t>(i)])]);
  }
}

void add_shape(const Shape& shape, const collision::Pose3& at, double plane_size, Polygons& out) {
  if (shape.pieces && !shape.mesh) {
    for (const collision::Piece& piece : *shape.pieces)
      add_shape(piece.shape, at * piece.pose, plane_size, out);
    return;
  }
  if (shape.mesh || shape.height_field) {
    const collision::CheckedSurface surface = collision::checked_surface(shape, at);
    for (const auto& t : surface.triangles)
      out.push_back({surface.vertices[static_cast<std::size_t>(t[0])],
                     surface.vertices[static_cast<std::size_t>(t[1])],
                     surface.vertices[static_cast<std::size_t>(t[2])]});
    return;
  }
  const std::size_t first = out.size();
  if (shape.type == ShapeType::plane)
    add_square(Vec3::Zero(), plane_size * Vec3::UnitX(), plane_size * Vec3::UnitY(), out);
  else if (shape.type == ShapeType::box)
    add_box(shape.size.array() + shape.radius, out);
  else if (shape.hull)
    add_hull(*shape.hull, out);
  else
    add_round(shape, out);
  for (std::size_t i = first; i < out.size(); ++i)
    for (Vec3& corner : out[i]) corner = at * corner;
}

}  // namespace

Polygons faces_of(const collision::Shape& shape, const collision::Pose3& at, double plane_size) {
  Polygons out;
  add_shape(shape, at, plane_size, out);
  return out;
}

}  // namespace taut::experiment::detail
