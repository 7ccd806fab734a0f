// Convex cores: what the algorithms see of a convex shape, in the shape's own frame.
#pragma once

#include <cmath>

#include "taut/collision/shape.hpp"

namespace taut::collision::detail {

enum class CoreType : std::uint8_t {
  point,
  segment,
  box,
  cylinder,
  cone,
  ellipsoid,
  hull,
  triangle
};

struct Core {
  CoreType type = CoreType::point;
  Vec3 size = Vec3::Zero();
  double radius = 0;
  const Hull* hull = nullptr;
  std::array<Vec3, 3> corner;  ///< of a triangle

  bool is_polytope() const {
    return type != CoreType::cylinder && type != CoreType::cone && type != CoreType::ellipsoid;
  }
};

/// Of a convex shape.
inline Core core_of(const Shape& shape) {
  Core core;
  core.size = shape.size;
  core.radius = shape.radius;
  core.hull = shape.hull.get();
  // The types stand in the same order, sphere first.
  core.type = static_cast<CoreType>(static_cast<int>(shape.type) - 1);
  return core;
}
static_assert(static_cast<int>(ShapeType::sphere) - 1 == static_cast<int>(CoreType::point));
static_assert(static_cast<int>(ShapeType::ellipsoid) - 1 == static_cast<int>(CoreType::ellipsoid));
static_assert(static_cast<int>(ShapeType::hull) - 1 == static_cast<int>(CoreType::hull));

inline Core triangle_core(const Vec3& a, const Vec3& b, const Vec3& c) {
  Core core;
  core.type = CoreType::triangle;
  core.corner = {a, b, c};
  return core;
}

/// The number of the vertex that is farthest in direction d. `near`: one that may be near it; −1:
/// not known.
int farthest_vertex(const Hull& hull, const Vec3& d, int near = -1);

/// The point of the core that is farthest in direction d, of any length.
inline Vec3 support(const Core& core, const Vec3& d) {
  const Vec3& s = core.size;
  switch (core.type) {
    case CoreType::point:
      break;
    case CoreType::segment:
      return {0, 0, std::copysign(s.z(), d.z())};
    case CoreType::box:
      return {std::copysign(s.x(), d.x()), std::copysign(s.y(), d.y()),
              std::copysign(s.z(), d.z())};
    case CoreType::cylinder: {
      const double across = std::sqrt(d.x() * d.x() + d.y() * d.y());
      const double scale = across > 0 ? s.x() / across : 0;
      return {scale * d.x(), scale * d.y(), std::copysign(s.z(), d.z())};
    }
    case CoreType::cone: {
      const double across = std::sqrt(d.x() * d.x() + d.y() * d.y());
      if (2 * s.z() * d.z() >= s.x() * across) return {0, 0, s.z()};
      const double scale = across > 0 ? s.x() / across : 0;
      return {scale * d.x(), scale * d.y(), -s.z()};
    }
    case CoreType::ellipsoid: {
      const Vec3 stretched = s.cwiseProduct(d);
      const double length = stretched.norm();
      if (!(length > 0)) return {s.x(), 0, 0};
      return s.cwiseProduct(stretched / length);
    }
    case CoreType::hull:
      return core.hull->vertices[static_cast<std::size_t>(farthest_vertex(*core.hull, d))];
    case CoreType::triangle: {
      const double a = d.dot(core.corner[0]), b = d.dot(core.corner[1]), c = d.dot(core.corner[2]);
      return core.corner[a >= b ? (a >= c ? 0 : 2) : (b >= c ? 1 : 2)];
    }
  }
  return Vec3::Zero();
}

/// The same; `near` is the vertex of a hull that was found last, −1 at first.
inline Vec3 support(const Core& core, const Vec3& d, int& near) {
  if (core.type != CoreType::hull) return support(core, d);
  near = farthest_vertex(*core.hull, d, near);
  return core.hull->vertices[static_cast<std::size_t>(near)];
}

/// The greatest distance of a point of the core from the origin of its frame.
double reach(const Core& core);

/// The bounding box of a core with its radius.
Bounds bounds(const Core& core, const Pose3& pose);

}  // namespace taut::collision::detail
