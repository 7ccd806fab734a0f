// Where a joint sits in its two bodies, and the directions it is made of.
#pragma once

#include <optional>
#include <string_view>

#include "taut/base/type_info.hpp"
#include "taut/model/coordinate.hpp"
#include "taut/model/point.hpp"

namespace taut {

class System;

/// Any unit vector square to u, which is of length one.
Vec3 any_square_to(const Vec3& u);

/// What all joints have: two bodies, a place and an axis. complete() makes from them, at the
/// bodies' initial positions, three directions u (the axis), v and w in each body, parallel at the
/// start.
struct JointFrame {
  std::optional<Point> a;
  Point b;
  std::optional<Vec3> at;
  Direction axis{world_body, Vec3::UnitZ()};

  Direction ua, va, wa, ub, vb, wb;

  void complete(const System& system, std::string_view type);
  void locate(const System& system, std::string_view type);
  /// u, v: unit vectors in the world, square to each other.
  void set_directions(const System& system, const Vec3& u, const Vec3& v);
  static Vec3 unit_along(const Vec3& direction, const char* name);

  /// The turn of b against a about the axis, called `start` where the bodies are now.
  Coordinate turn(double start) const;
  /// The way of b along a direction of a; at the start it is what the places say, or `start`.
  Coordinate slide(const System& system, const Direction& along, std::optional<double> start) const;
};

/// The fields of a JointFrame, for the list of a joint that is one. `axis`: what the axis is; none
/// given: the joint has none.
FieldList<JointFrame> joint_fields(std::string_view axis);

}  // namespace taut
