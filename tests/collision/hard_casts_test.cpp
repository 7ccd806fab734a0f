// Rays that graze, start on the surface or run along a side, and fast turning motions.
#include <gtest/gtest.h>

#include "support/dice.hpp"
#include "support/random_shapes.hpp"
#include "taut/collision/cast.hpp"

namespace taut::collision {
namespace {

using testing::Dice;

/// Of a point from a shape.
double height(const Shape& shape, const Pose3& at, const Vec3& point) {
  const double tiny = 1e-12 * reach(shape);
  return distance(shape, at, sphere(tiny), Pose3(point)).gap + tiny;
}

// What is hit is on the surface, and nothing is before it; what is missed is nowhere inside.
TEST(HardCasts, Rays) {
  int hits = 0, misses = 0;
  for (unsigned seed = 0; seed < 1200; ++seed) {
    const testing::ShapePair p = testing::random_pair(seed);
    Dice dice(seed);
    const double size = reach(p.a);
    const Vec3 along =
        (dice.below(3) ? dice.vector() : Vec3(p.at_a.rotation.col(dice.below(3)))).normalized();
    const double back = size * (dice.below(3) ? 3 : dice.power(-12, 3));
    Vec3 origin = p.at_a * support(p.a, dice.vector()) - back * along;
    if (dice.below(3) == 0) origin += size * dice.power(-14, -3) * dice.vector();
    const double unit = dice.below(2) ? 1 : dice.power(-8, 8);
    const double tolerance = 1e-9 * (size + back);
    const double longest = dice.below(3) ? 10 * back : back;
    RayHit hit;
    if (ray_cast(p.a, p.at_a, origin, unit * along, longest / unit, hit)) {
      ++hits;
      EXPECT_LT(height(p.a, p.at_a, hit.point), tolerance) << seed;
      EXPECT_NEAR(hit.normal.norm(), 1, 1e-9) << seed;
      if (hit.t > 0) EXPECT_GT(height(p.a, p.at_a, hit.point), -tolerance) << seed;
      for (int k = 1; k < 8 && hit.t > 0; ++k)
        EXPECT_GT(height(p.a, p.at_a, origin + k / 8.0 * (hit.point - origin)), -tolerance) << seed;
    } else {
      ++misses;
      for (int k = 0; k <= 32; ++k)
        EXPECT_GT(height(p.a, p.at_a, origin + k / 32.0 * longest * along), -tolerance) << seed;
    }
  }
  EXPECT_GT(hits, 500);
  EXPECT_GT(misses, 50);
}

// Up to the time of impact nothing overlaps, however fast it is and wherever it starts.
TEST(HardCasts, FastMotions) {
  int hits = 0, settled = 0;
  constexpr unsigned count = 150;
  for (unsigned seed = 0; seed < count; ++seed) {
    const testing::ShapePair p = testing::random_pair(seed);
    Dice dice(seed);
    Motion3 first(p.at_a), second(p.at_b);
    second.shift =
        dice.below(2) ? Vec3(p.size * dice.power(-3, 2) * dice.vector()) : Vec3(Vec3::Zero());
    second.turn = dice.vector() * dice.power(-2, 2);
    if (dice.below(4) == 0) first.turn = dice.vector() * dice.power(-2, 1.5);
    const Impact impact = time_of_impact(p.a, first, p.b, second, 1e-6 * p.size);
    hits += impact.hit;
    settled += impact.settled;
    if (impact.hit) EXPECT_LE(impact.distance.gap, 1e-6 * p.size) << seed;
    for (int k = 0; k < 20 && impact.t > 0; ++k) {
      const double t = k / 20.0 * impact.t;
      EXPECT_GT(distance(p.a, first.at(t), p.b, second.at(t)).gap, -1e-9 * p.size) << seed;
    }
  }
  EXPECT_GT(hits, 50);
  EXPECT_GT(settled, static_cast<int>(count) - 5);
}

}  // namespace
}  // namespace taut::collision
