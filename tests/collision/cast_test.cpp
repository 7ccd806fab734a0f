// Rays and times of impact.
#include "taut/collision/cast.hpp"

#include <random>

#include "support/contact_reference.hpp"
#include "support/random_shapes.hpp"

namespace taut::collision {
namespace {

TEST(RayCast, KnownHits) {
  RayHit hit;
  const Vec3 from(5, 0.3, 0.2), back(-2, 0, 0);  // not of unit length
  ASSERT_TRUE(ray_cast(sphere(1), Pose3(), from, back, 10, hit));
  const double x = std::sqrt(1 - 0.3 * 0.3 - 0.2 * 0.2);
  EXPECT_NEAR(hit.t, (5 - x) / 2, 1e-14);
  EXPECT_LT((hit.normal - Vec3(x, 0.3, 0.2)).norm(), 1e-12);
  ASSERT_TRUE(ray_cast(box({1, 1, 1}), Pose3(), from, back, 10, hit));
  EXPECT_NEAR(hit.t, 2, 1e-14);
  EXPECT_LT((hit.normal - Vec3::UnitX()).norm(), 1e-12);
  EXPECT_FALSE(ray_cast(box({1, 1, 1}), Pose3(), from, back, 1.9, hit));
  EXPECT_FALSE(ray_cast(box({1, 0.2, 1}), Pose3(), from, back, 10, hit));
  EXPECT_FALSE(ray_cast(box({1, 1, 1}), Pose3(), from, Vec3(1, 0, 0), 10, hit));
  ASSERT_TRUE(ray_cast(plane(), Pose3(), Vec3(0, 0, 3), Vec3(1, 0, -1), 10, hit));
  EXPECT_NEAR(hit.t, 3, 1e-14);
  ASSERT_TRUE(ray_cast(box({1, 1, 1}), Pose3(), Vec3::Zero(), back, 10, hit));
  EXPECT_EQ(hit.t, 0);
  const Shape two = compound({{sphere(1), Pose3()}, {sphere(1), Pose3(Vec3(3, 0, 0))}});
  ASSERT_TRUE(ray_cast(two, Pose3(), from, back, 10, hit));
  EXPECT_EQ(hit.part, 1);
  EXPECT_NEAR(hit.t, (2 - x) / 2, 1e-14);
}

// Random convex shapes: what is hit is on the surface and its normal is that of a tangent plane; a
// ray towards a point inside hits; a ray that misses passes a plane between.
TEST(RayCast, RandomShapes) {
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> side(-1, 1);
  const auto vector = [&] { return Vec3(side(engine), side(engine), side(engine)); };
  int hits = 0, misses = 0;
  for (unsigned seed = 0; seed < 600; ++seed) {
    const testing::ShapePair p = testing::random_pair(seed);
    const double size = reach(p.a);
    const Vec3 inside = p.at_a * (0.5 * (support(p.a, vector()) + support(p.a, vector())));
    const Vec3 origin = p.at_a.position + 3 * size * vector().normalized();
    RayHit hit;
    ASSERT_TRUE(ray_cast(p.a, p.at_a, origin, inside - origin, 1 + 1e-9, hit)) << seed;
    for (const Vec3& aim : {inside, Vec3(p.at_a.position + 1.5 * size * vector())}) {
      const Vec3 direction = aim - origin;
      if (!ray_cast(p.a, p.at_a, origin, direction, 10, hit)) {
        ++misses;
        // The nearest point of the ray is outside.
        double nearest = INFINITY;
        for (int i = 0; i <= 1000; ++i)
          nearest = std::min(nearest, distance(p.a, p.at_a, sphere(1e-12 * size),
                                               Pose3(origin + 0.01 * i * direction))
                                          .gap);
        EXPECT_GT(nearest, -1e-9 * size) << seed;
        continue;
      }
      ++hits;
      EXPECT_LT(testing::outside(p.a, p.at_a, hit.point, hit.normal), 1e-9 * size) << seed;
      // Nothing of the shape is beyond the tangent plane at the hit.
      const Vec3 n = p.at_a.rotation.transpose() * hit.normal;
      const double height = n.dot(support(p.a, n)) - n.dot(p.at_a.to_local(hit.point));
      EXPECT_LT(std::abs(height), 1e-8 * size) << seed << " " << name(p.a.type);
      EXPECT_LE(hit.normal.dot(direction), 0);
    }
  }
  EXPECT_GT(hits, 600);
  EXPECT_GT(misses, 150);
}

TEST(TimeOfImpact, StraightFall) {
  const Motion3 fall(Pose3(Vec3(0, 0, 10)), Vec3(0, 0, -1000), Vec3::Zero(), 1);
  const Impact impact = time_of_impact(plane(), Motion3(Pose3()), box({1, 1, 1}), fall, 1e-6);
  ASSERT_TRUE(impact.hit);
  EXPECT_NEAR(impact.t, 9e-3, 1e-8);
  EXPECT_GT(impact.distance.gap, 0);
  // Away from it, and past it.
  EXPECT_FALSE(time_of_impact(sphere(1), Motion3(Pose3()), sphere(1),
                              Motion3(Pose3(Vec3(3, 0, 0)), Vec3(5, 0, 0), Vec3::Zero(), 1), 1e-6)
                   .hit);
  EXPECT_FALSE(time_of_impact(sphere(1), Motion3(Pose3()), sphere(1),
                              Motion3(Pose3(Vec3(-9, 2.1, 0)), Vec3(20, 0, 0), Vec3::Zero(), 1),
                              1e-6)
                   .hit);
  // Overlapping at the start.
  const Impact at_once =
      time_of_impact(sphere(1), Motion3(Pose3()), sphere(1), Motion3(Pose3(Vec3(1, 0, 0))), 1e-6);
  EXPECT_TRUE(at_once.hit);
  EXPECT_EQ(at_once.t, 0);
}

// A bullet of a millimetre at any speed does not pass a paper-thin plate, and a spinning rod does
// not pass a post.
TEST(TimeOfImpact, NothingTunnels) {
  for (const double speed : {1e1, 1e4, 1e8}) {
    const Motion3 bullet(Pose3(Vec3(0.1, 0.2, -1)), Vec3(0, 0, speed), Vec3(100, 50, 7), 1);
    for (const Shape& plate :
         {box({1, 1, 1e-5}), triangle_mesh({{-2, -2, 0}, {2, -2, 0}, {0, 3, 0}}, {{0, 1, 2}})}) {
      const Impact impact = time_of_impact(plate, Motion3(Pose3()), sphere(1e-3), bullet, 1e-7);
      ASSERT_TRUE(impact.hit) << speed;
      EXPECT_NEAR(impact.t, (1 - 1e-3) / speed, 2e-5 / speed);
    }
  }
  const Motion3 spin(Pose3(), Vec3::Zero(), Vec3(0, 0, 3), 1);  // a rod of length 2 from −x to x
  const Shape rod = box({1, 0.01, 0.01});
  const Impact impact =
      time_of_impact(rod, spin, cylinder(0.1, 1), Motion3(Pose3(Vec3(0, 0.5, 0))), 1e-8);
  ASSERT_TRUE(impact.hit);
  EXPECT_TRUE(impact.settled);
  // The side of the rod is at distance 0.1 from the post's axis.
  EXPECT_NEAR(impact.t, (std::numbers::pi / 2 - std::asin(0.11 / 0.5)) / 3, 1e-6);
}

// Random motions against small steps: the impact is not later than the first overlap that is seen,
// and just there the gap is small and positive.
TEST(TimeOfImpact, RandomMotions) {
  std::mt19937 engine(4);
  std::uniform_real_distribution<double> side(-1, 1);
  const auto vector = [&] { return Vec3(side(engine), side(engine), side(engine)); };
  int hits = 0;
  for (unsigned seed = 0; seed < 120; ++seed) {
    const testing::ShapePair p = testing::random_pair(seed);
    const double size = p.size;
    const Pose3 from(p.at_a.position + 4 * size * vector().normalized(), p.at_b.rotation);
    const Motion3 a(p.at_a, size * vector(), 3 * vector(), 1);
    const Motion3 b(from, (p.at_a.position - from.position) * 2 + size * vector(), 3 * vector(), 1);
    if (distance(p.a, a.at(0), p.b, b.at(0)).gap <= 0) continue;
    const Impact impact = time_of_impact(p.a, a, p.b, b, 1e-6 * size);
    EXPECT_TRUE(impact.settled) << seed;
    double first = 2;
    for (int i = 0; i <= 500 && first > 1; ++i)
      if (distance(p.a, a.at(i / 500.0), p.b, b.at(i / 500.0)).gap < 0) first = i / 500.0;
    if (first <= 1) EXPECT_TRUE(impact.hit) << seed;
    EXPECT_LE(impact.t, first) << seed;
    if (!impact.hit) continue;
    ++hits;
    EXPECT_GT(impact.distance.gap, 0) << seed;
    EXPECT_LE(impact.distance.gap, 1e-6 * size) << seed;
  }
  EXPECT_GT(hits, 50);
}

}  // namespace
}  // namespace taut::collision
