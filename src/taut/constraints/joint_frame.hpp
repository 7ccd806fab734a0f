// Where a joint sits in its two bodies, and the directions it is made of.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "taut/base/error.hpp"
#include "taut/base/field.hpp"
#include "taut/model/joint.hpp"
#include "taut/model/system.hpp"

namespace taut {

/// Any unit vector square to u, which is of length one.
inline Vec3 any_square_to(const Vec3& u) {
  int least = 0;
  for (int i = 1; i < 3; ++i)
    if (std::abs(u[i]) < std::abs(u[least])) least = i;
  return u.cross(Vec3::Unit(least)).normalized();
}

/// What all joints have: two bodies, a place and an axis. complete() makes from them, at the
/// bodies' initial positions, three directions u (the axis), v and w in each body, parallel at the
/// start.
struct JointFrame {
  std::optional<Point> a;
  Point b;
  std::optional<Vec3> at;
  Direction axis{world_body, Vec3::UnitZ()};

  Direction ua, va, wa, ub, vb, wb;

  void complete(const System& system, std::string_view type) {
    locate(system, type);
    const Vec3 u = unit_along(system.initial_place(axis), "axis");
    set_directions(system, u, any_square_to(u));
  }
  void locate(const System& system, std::string_view type) {
    if (a && a->body == b.body) throw Error(std::string(type) + ": a and b are on the same body");
    if (at) {
      if (!b.local.isZero(0) || (a && !a->body.is_world() && !a->local.isZero(0)))
        throw Error("at: places of the joint in a and b are given, too");
      b = system.point_at(b.body, *at);
      a = system.point_at(a ? a->body : world_body, *at);
    } else if (!a) {
      a = world_point(system.initial_place(b));
    }
    for (const BodyId body : {a->body, b.body})
      if (!body.is_world() && !system.is_rigid(body))
        throw Error(std::string(type) + ": \"" + system.body_name(body) +
                    "\" is a particle, which does not turn; expected a rigid body or the world");
  }
  /// u, v: unit vectors in the world, square to each other.
  void set_directions(const System& system, const Vec3& u, const Vec3& v) {
    const Vec3 w = u.cross(v);
    ua = system.direction_along(a->body, u);
    va = system.direction_along(a->body, v);
    wa = system.direction_along(a->body, w);
    ub = system.direction_along(b.body, u);
    vb = system.direction_along(b.body, v);
    wb = system.direction_along(b.body, w);
  }
  static Vec3 unit_along(const Vec3& direction, const char* name) {
    if (!(direction.norm() > 0))
      throw Error(std::string(name) + ": a direction must not be the zero vector");
    return direction.normalized();
  }

  /// The turn of b against a about the axis, called `start` where the bodies are now.
  Coordinate turn(double start) const {
    return {Coordinate::Kind::turn, {va, wa, vb}, start, start};
  }
  /// The way of b along a direction of a; at the start it is what the places say, or `start`.
  Coordinate slide(const System& system, const Direction& along,
                   std::optional<double> start) const {
    Coordinate slide{Coordinate::Kind::slide, {*a, along, b}, 0, 0};
    Coordinate::Places x;
    for (int k = 0; k < 3; ++k)
      x.col(k) = system.initial_place(slide.anchors[static_cast<std::size_t>(k)]);
    slide.start = start.value_or(slide.measured(x));
    slide.shift = slide.start - slide.measured(x);
    return slide;
  }
};

/// The fields of a JointFrame, for the list of a joint that is one.
template <class Joint>
constexpr auto joint_fields(const char* axis) {
  return std::tuple{
      optional("a", &Joint::a, "",
               "the body that holds, or its place of the joint; the world if not given"),
      required("b", &Joint::b, "", "the body that is held, or its place of the joint"),
      optional("at", &Joint::at, "m",
               "where the joint is at the start, in the world: instead of places in a and b"),
      optional("axis", &Joint::axis, "", axis)};
}

}  // namespace taut
