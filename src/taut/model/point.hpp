// Where constraints and forces take hold of bodies.
#pragma once

#include "taut/base/types.hpp"

namespace taut {

/// A body of a System, by its number; `world` is what never moves.
struct BodyId {
  int index = -1;
  constexpr bool is_world() const { return index < 0; }
  friend constexpr bool operator==(BodyId, BodyId) = default;
};
inline constexpr BodyId world_body{};

/// A place fixed in a body: a particle itself, a point of a rigid body (in its own frame), or a
/// place in the world.
struct Point {
  BodyId body;
  Vec3 local = Vec3::Zero();

  Point() = default;
  Point(BodyId of, const Vec3& at = Vec3::Zero()) : body(of), local(at) {}  // NOLINT: on purpose
};

inline Point world_point(const Vec3& at) { return {world_body, at}; }
inline Point world_point(double x, double y, double z) { return {world_body, {x, y, z}}; }

/// A direction fixed in a rigid body or in the world. It turns with the body and does not move; a
/// particle does not turn, so its directions are the world's.
struct Direction {
  BodyId body;
  Vec3 local = Vec3::UnitZ();
};

/// What a constraint's rows are functions of: x = s·p + R·local, with s = 1 for a point and 0 for a
/// direction, p and R the body's position and rotation. One rule of differentiation serves all.
struct Anchor {
  BodyId body;
  bool is_direction = false;
  Vec3 local = Vec3::Zero();

  Anchor() = default;
  Anchor(const Point& point) : body(point.body), local(point.local) {}  // NOLINT: on purpose
  Anchor(const Direction& direction)                                    // NOLINT: on purpose
      : body(direction.body), is_direction(true), local(direction.local) {}
};

}  // namespace taut
