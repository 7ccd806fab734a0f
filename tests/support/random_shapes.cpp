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

/// Lengths that often are equal, and sometimes very different.
double length(Dice& dice) {
  switch (dice.below(4)) {
    case 0:
      return 1;
    case 1:
      return dice.power(-3, 0);
    default:
      return dice.between(0.2, 1);
  }
}

Shape random_hull(Dice& dice, int largest) {
  for (;;) {
    std::vector<Vec3> points;
    const int count = 4 + dice.below(largest - 3);
    const int kind = dice.below(4);
    const Vec3 stretch(length(dice), length(dice), length(dice));
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

Shape random_shape(Dice& dice, int largest_hull) {
  Shape shape;
  switch (dice.below(7)) {
    case 0:
      return sphere(length(dice));
    case 1:
      return capsule(length(dice), length(dice));
    case 2:
      shape = box({length(dice), length(dice), length(dice)});
      break;
    case 3:
      shape = cylinder(length(dice), length(dice));
      break;
    case 4:
      shape = collision::cone(length(dice), length(dice));
      break;
    case 5:
      shape = ellipsoid({length(dice), length(dice), length(dice)});
      break;
    default:
      shape = random_hull(dice, largest_hull);
  }
  return dice.below(4) == 0 ? rounded(shape, 0.3 * length(dice)) : shape;
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

}  // namespace

ShapePair random_pair(unsigned seed, int largest_hull) {
  Dice dice(seed);
  ShapePair pair;
  const double scale = dice.below(3) == 0 ? dice.power(-6, 6) : 1;
  pair.a = scaled(random_shape(dice, largest_hull), scale);
  const double ratio = dice.below(4) == 0 ? dice.power(-3, 0) : 1;
  pair.b = scaled(random_shape(dice, largest_hull), scale * ratio);
  pair.size = std::max(reach(pair.a), reach(pair.b));
  const bool is_aligned = dice.below(2) == 0;
  pair.at_a = Pose3(dice.below(2) ? Vec3(dice.vector() * pair.size * 10) : Vec3(Vec3::Zero()),
                    dice.below(2) ? dice.rotation() : Quat::Identity());
  const Quat turn = is_aligned ? right_angles(dice) : dice.rotation();
  pair.at_b = Pose3(pair.at_a.position, Quat(pair.at_a.rotation) * turn);
  pair.kind = is_aligned ? "aligned" : "turned";

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
