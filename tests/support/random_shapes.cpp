#include "support/random_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/dice.hpp"
#include "taut/base/error.hpp"
#include "taut/collision/distance.hpp"

namespace taut::testing {

namespace {

using namespace collision;

/// What is hard about a pair.
enum class Family { any, needle, tiny_core, coincident };

Family random_family(Dice& dice) {
  switch (dice.below(8)) {
    case 0:
      return Family::needle;
    case 1:
      return Family::tiny_core;
    case 2:
      return Family::coincident;
    default:
      return Family::any;
  }
}

/// Lengths that often are equal, and sometimes very different.
double length(Dice& dice, Family family) {
  if (family == Family::needle && dice.below(2)) return dice.power(-5.5, 0);
  switch (dice.below(4)) {
    case 0:
      return 1;
    case 1:
      return dice.power(-3, 0);
    default:
      return dice.between(0.2, 1);
  }
}

Shape random_hull(Dice& dice, int largest, Family family) {
  for (;;) {
    std::vector<Vec3> points;
    const int count = 4 + dice.below(largest - 3);
    const int kind = dice.below(4);
    const Vec3 stretch(length(dice, family), length(dice, family), length(dice, family));
    for (int i = 0; i < count; ++i) {
      Vec3 p = dice.vector();
      if (kind == 1) p.normalize();           // round
      if (kind == 2) p = p.array().sign();    // corners of a box
      if (kind == 3) p.z() = i % 2 ? 1 : -1;  // two flat ends
      points.push_back(p.cwiseProduct(stretch));
    }
    try {
      return convex_hull(points);
    } catch (const Error&) {  // flat: try again
    }
  }
}

Shape random_core(Dice& dice, int largest_hull, Family family) {
  switch (dice.below(7)) {
    case 0:
      return sphere(length(dice, family));
    case 1:
      return capsule(length(dice, family), length(dice, family));
    case 2:
      return box({length(dice, family), length(dice, family), length(dice, family)});
    case 3:
      return cylinder(length(dice, family), length(dice, family));
    case 4:
      return collision::cone(length(dice, family), length(dice, family));
    case 5:
      return ellipsoid({length(dice, family), length(dice, family), length(dice, family)});
    default:
      return random_hull(dice, largest_hull, family);
  }
}

Shape scaled(Shape shape, double by) {
  if (shape.hull) {
    std::vector<Vec3> points = shape.hull->vertices;
    for (Vec3& p : points) p *= by;
    const double radius = shape.radius;
    shape = convex_hull(points);
    shape.radius = radius;
  }
  shape.size *= by;
  shape.radius *= by;
  return shape;
}

Shape random_shape(Dice& dice, int largest_hull, Family family) {
  const Shape shape = random_core(dice, largest_hull, family);
  if (family == Family::tiny_core)
    return rounded(scaled(shape, dice.power(-6, -1)), dice.between(0.5, 1));
  const bool is_plain = shape.type == ShapeType::sphere || shape.type == ShapeType::capsule;
  if (is_plain || dice.below(4) != 0) return shape;
  return rounded(shape, dice.below(4) ? 0.3 * length(dice, family) : dice.power(-9, -1));
}

/// By multiples of 90°, sometimes with a little more.
Quat right_angles(Dice& dice) {
  Quat q = Quat::Identity();
  for (int k = 0; k < 3; ++k) {
    const double half = M_PI / 4 * dice.below(4);
    const Vec3 axis = std::sin(half) * Vec3::Unit(k);
    q = q * Quat(std::cos(half), axis.x(), axis.y(), axis.z());
  }
  if (dice.below(2)) {
    const Vec3 tilt = dice.vector() * dice.power(-16, -2);
    q = Quat(1, tilt.x(), tilt.y(), tilt.z()) * q;
  }
  return q.normalized();
}

}  // namespace

ShapePair random_pair(unsigned seed, int largest_hull) {
  Dice dice(seed);
  ShapePair pair;
  const double scale = dice.below(3) == 0 ? dice.power(-6, 6) : 1;
  const Family family = random_family(dice);
  pair.a = scaled(random_shape(dice, largest_hull, family), scale);
  const double ratio = dice.below(4) == 0 ? dice.power(-3, 0) : 1;
  pair.b = family == Family::coincident
               ? pair.a
               : scaled(random_shape(dice, largest_hull, family), scale * ratio);
  pair.size = std::max(reach(pair.a), reach(pair.b));
  const bool is_aligned = dice.below(2) == 0;
  pair.at_a = Pose3(dice.below(2) ? Vec3(dice.vector() * pair.size * 10) : Vec3(Vec3::Zero()),
                    dice.below(2) ? dice.rotation() : Quat::Identity());
  const Quat turn = is_aligned ? right_angles(dice) : dice.rotation();
  pair.at_b = Pose3(pair.at_a.position, Quat(pair.at_a.rotation) * turn);
  pair.kind = is_aligned ? "aligned" : "turned";
  if (family == Family::needle) pair.kind += ", thin";
  if (family == Family::tiny_core) pair.kind += ", all but round";
  if (family == Family::coincident) pair.kind += ", twice the same";
  if (family == Family::coincident && dice.below(2)) {
    // Nearly in the same place, too.
    const Vec3 tilt =
        dice.below(2) ? Vec3(dice.vector() * dice.power(-16, -3)) : Vec3(Vec3::Zero());
    pair.at_b.rotation =
        (Quat(pair.at_a.rotation) * Quat(1, tilt.x(), tilt.y(), tilt.z())).normalized();
    if (dice.below(2)) pair.at_b.position += pair.size * dice.power(-17, -2) * dice.vector();
    return pair;
  }

  Vec3 away = dice.vector();
  if (is_aligned && dice.below(2)) away = Vec3::Unit(dice.below(3));
  const double sum = reach(pair.a) + reach(pair.b);
  switch (dice.below(5)) {
    case 0:
      pair.kind += ", concentric";
      break;
    case 1:
      pair.kind += ", deep";
      pair.at_b.position += 0.3 * sum * away;
      break;
    case 2:
      pair.kind += ", near";
      pair.at_b.position += 1.2 * sum * away;
      break;
    default: {
      // Moved along the normal until they touch up to a chosen gap.
      pair.at_b.position += 0.8 * sum * away;
      const Distance d = distance(pair.a, pair.at_a, pair.b, pair.at_b);
      const double gap =
          dice.below(4) == 0 ? 0 : (dice.below(2) ? 1 : -1) * dice.power(-16, -2) * pair.size;
      pair.at_b.position += (gap - d.gap) * d.normal;
      pair.kind += fmt::format(", touching up to {:.1g}", gap / pair.size);
    }
  }
  return pair;
}

}  // namespace taut::testing
