// How far a joint has moved: a turn about an axis of body a, or a slide along it. Motors, limits,
// gears and joint springs act on coordinates and need not know the joint.
//
// All are functions of the places x of three anchors:
//   turn   p, q: directions in a, square to the axis and to each other; r: the direction in b that
//          was along p at the start.   θ = atan2(s, c),  s = q·r,  c = p·r
//   slide  o: point in a, u: direction in a, x: point in b.   d = u·(x − o)
//   tilt   u: direction in a, r: direction in b (the second anchor is not used).   θ = asin(u·r),
//          the middle one of three angles about axes in a row: from −π/2 to π/2
#pragma once

#include <array>
#include <limits>
#include <numbers>

#include "taut/base/type_info.hpp"
#include "taut/base/types.hpp"
#include "taut/model/point.hpp"

namespace taut {

/// The angle in (−π, π] that differs from `angle` by whole turns.
double shorter_way(double angle);

struct Coordinate {
  enum class Kind { turn, slide, tilt };
  using Places = Columns<double, 3>;
  using Curvature = Eigen::Matrix<double, 9, 9>;

  Kind kind = Kind::turn;
  std::array<Anchor, 3> anchors;
  double start = 0;  ///< what its value at the start is called
  double shift = 0;  ///< start − what the anchors say there
  /// What its drive can do, of a robot's joint: N·m or N, and rad/s or m/s. Controllers keep to it.
  double largest_effort = std::numeric_limits<double>::infinity();
  double largest_speed = std::numeric_limits<double>::infinity();

  /// Whether it is an angle.
  bool is_turn() const { return kind != Kind::slide; }
  /// What it is only known up to: a whole turn, or nothing.
  double period() const { return is_turn() ? 2 * std::numbers::pi : 0; }

  double value(const Places& x) const { return shift + measured(x); }
  /// The value of a turn that is nearest to another one: so whole turns are counted.
  double value_near(double other, const Places& x) const;
  /// How far it has moved since the start; turns the shorter way.
  double moved(const Places& x) const;
  Places gradient(const Places& x) const;
  Curvature curvature(const Places& x) const;
  /// ẍ-free second derivative in time: ẋᵀ H ẋ.
  double bias(const Places& x, const Places& rate) const;
  /// D with D·(x₁ − x₀) the change of the coordinate, the shorter way. Made of the changes of s and
  /// c, which do not mind a rotation of all, so that forces along D keep angular momentum; in the
  /// plane of s and c it is Gonzalez' discrete gradient.
  Places gradient_between(const Places& x0, const Places& x1, const Places& mean) const;
  /// What the anchors say, without the shift.
  double measured(const Places& x) const;
};

template <>
inline constexpr ValueType value_type<Coordinate>{ValueKind::joint};

}  // namespace taut
