#include <algorithm>
#include <cmath>

#include "taut/collision/crossings.hpp"

// Every convex shape is where a convex function φ is at most 0, and a convex function has one
// lowest value on a triangle: it is found by dividing an interval, inside of which another is
// divided.

namespace taut::collision {
namespace {

/// Of a box with these half sizes in two or three dimensions, grown by a radius; exact.
double box_height(const Vec3& outside, double radius) {
  const double inside = std::min(outside.maxCoeff(), 0.0);
  return inside + outside.cwiseMax(0.0).norm() - radius;
}

double height_above(const Shape& shape, const Vec3& x) {
  const Vec3& s = shape.size;
  switch (shape.type) {
    case ShapeType::plane:
      return x.z();
    case ShapeType::sphere:
      return x.norm() - shape.radius;
    case ShapeType::capsule:
      return Vec3(x.x(), x.y(), std::max(std::abs(x.z()) - s.z(), 0.0)).norm() - shape.radius;
    case ShapeType::box:
      return box_height(x.cwiseAbs() - s, shape.radius);
    case ShapeType::cylinder:
      return box_height({std::hypot(x.x(), x.y()) - s.x(), std::abs(x.z()) - s.z(), -INFINITY},
                        shape.radius);
    case ShapeType::cone: {
      const double slant = std::hypot(s.x(), 2 * s.z());
      const double side = (std::hypot(x.x(), x.y()) * 2 * s.z() + (x.z() - s.z()) * s.x()) / slant;
      return std::max(side, -s.z() - x.z());
    }
    case ShapeType::ellipsoid:
      return (x.cwiseQuotient(s).norm() - 1) * s.minCoeff();
    case ShapeType::hull: {
      double height = -INFINITY;
      for (std::size_t f = 0; f < shape.hull->normals.size(); ++f)
        height = std::max(height, shape.hull->normals[f].dot(x) - shape.hull->offsets[f]);
      return height;
    }
    default:
      return INFINITY;
  }
}

/// Where a convex function is lowest in [0, 1].
template <class Function>
double lowest(const Function& f) {
  constexpr double golden = 0.6180339887498949;
  double low = 0, high = 1, a = 1 - golden, b = golden, at_a = f(a), at_b = f(b);
  for (int i = 0; i < 40; ++i) {
    if (at_a <= at_b) {
      high = b, b = a, at_b = at_a;
      a = high - golden * (high - low);
      at_a = f(a);
    } else {
      low = a, a = b, at_a = at_b;
      b = low + golden * (high - low);
      at_b = f(b);
    }
  }
  // The ends, too: corners of the triangle.
  double best = at_a <= at_b ? a : b;
  for (const double end : {0.0, 1.0})
    if (f(end) <= f(best)) best = end;
  return best;
}

void look_at(const CheckedSurface& surface, const Shape& shape, const Pose3& at, double least,
             std::vector<Intrusion>& found) {
  if (shape.type == ShapeType::compound) {
    for (const Piece& piece : *shape.pieces)
      look_at(surface, piece.shape, at * piece.pose, least, found);
    return;
  }
  const bool is_plane = shape.type == ShapeType::plane;
  if (!is_plane && !shape.is_convex()) return;
  const Bounds box = is_plane ? Bounds{} : bounds(shape, at);
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    std::array<Vec3, 3> x;
    Bounds of_triangle{Vec3::Constant(INFINITY), Vec3::Constant(-INFINITY)};
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3& place = surface.vertices[static_cast<std::size_t>(surface.triangles[t][k])];
      of_triangle = of_triangle.united({place, place});
      x[k] = at.to_local(place);
    }
    if (!is_plane && !box.overlaps(of_triangle)) continue;
    const auto on_side = [&](double u) { return x[0] + u * (x[1] - x[0]); };
    const auto lowest_towards = [&](double u) {
      return lowest(
          [&](double w) { return height_above(shape, on_side(u) + w * (x[2] - on_side(u))); });
    };
    const auto point = [&](double u, double w) {
      return Vec3(on_side(u) + w * (x[2] - on_side(u)));
    };
    const double u =
        lowest([&](double s) { return height_above(shape, point(s, lowest_towards(s))); });
    const Vec3 deepest = point(u, lowest_towards(u));
    const double depth = -height_above(shape, deepest);
    if (depth > least) found.push_back({static_cast<int>(t), at * deepest, depth});
  }
}

}  // namespace

std::vector<Intrusion> find_intrusions(const CheckedSurface& surface, const Shape& shape,
                                       const Pose3& at, double least) {
  std::vector<Intrusion> found;
  look_at(surface, shape, at, least, found);
  return found;
}

}  // namespace taut::collision
