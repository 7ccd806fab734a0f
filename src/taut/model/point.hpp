// Where constraints and forces take hold of bodies.
#pragma once

#include <array>

#include "taut/base/type_info.hpp"
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

/// How a body turns: it has no place, and its rate is the body's angular velocity in the world.
/// Only for rows on velocities.
struct Spin {
  BodyId body;
};

/// What a constraint's rows are functions of: x = s·p + R·local, with s = 1 for a point and 0 for a
/// direction, p and R the body's position and rotation. One rule of differentiation serves all.
struct Anchor {
  BodyId body;
  bool is_direction = false;
  bool is_spin = false;  ///< then it is a direction, too, of length zero
  Vec3 local = Vec3::Zero();

  Anchor() = default;
  Anchor(const Point& point) : body(point.body), local(point.local) {}  // NOLINT: on purpose
  Anchor(const Direction& direction)                                    // NOLINT: on purpose
      : body(direction.body), is_direction(true), local(direction.local) {}
  Anchor(const Spin& spin)  // NOLINT: on purpose
      : body(spin.body), is_direction(true), is_spin(true) {}
};

/// Three or four particles: corners of a face, or what a bending energy depends on. A quarter of
/// the size of as many points, which counts where there are millions.
struct ParticleGroup {
  std::array<BodyId, 4> body;  ///< the last is the world where there are three

  ParticleGroup() = default;
  ParticleGroup(BodyId a, BodyId b, BodyId c, BodyId d = world_body) : body{a, b, c, d} {}

  int size() const { return body[3].is_world() ? 3 : 4; }
  std::array<Anchor, 4> anchors() const {
    return {Point(body[0]), Point(body[1]), Point(body[2]), Point(body[3])};
  }
};

template <>
inline constexpr ValueType value_type<BodyId>{ValueKind::body};
template <>
inline constexpr ValueType value_type<Point>{ValueKind::point};
template <>
inline constexpr ValueType value_type<Direction>{ValueKind::direction};
template <>
inline constexpr ValueType value_type<ParticleGroup>{ValueKind::particle_group};

}  // namespace taut
