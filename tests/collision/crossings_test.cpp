// Exact signs against whole numbers of any size, and crossings that are known.
#include "taut/collision/crossings.hpp"

#include "support/dice.hpp"
#include "taut/collision/exact_sign.hpp"

namespace taut::collision {
namespace {

using testing::Dice;

/// The sign in whole numbers: coordinates below 2²⁵ give products below 2⁷⁸, sums that __int128
/// holds.
int whole_sign(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  __extension__ typedef __int128 Whole;
  const auto part = [](const Vec3& x, const Vec3& y, int k) {
    return static_cast<Whole>(x[k]) - static_cast<Whole>(y[k]);
  };
  Whole sum = 0;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    sum += (part(b, a, i) * part(c, a, j) - part(b, a, j) * part(c, a, i)) * part(d, a, k);
  }
  return (sum > 0) - (sum < 0);
}

TEST(ExactSigns, AreThoseOfWholeNumbers) {
  Dice dice(11);
  int zeros = 0, hard = 0;
  for (int i = 0; i < 5000; ++i) {
    const int most = i % 2 ? 1 << 25 : 3;
    const auto point = [&] {
      return Vec3(dice.below(most) - most / 2, dice.below(most) - most / 2,
                  dice.below(most) - most / 2);
    };
    const Vec3 a = point(), b = point(), c = point();
    Vec3 d = point();
    if (i % 3 == 0) {  // in their plane, or next to it
      d = a + b - c;
      if (i % 2) d[dice.below(3)] += dice.below(3) - 1;
      ++hard;
    }
    const int truth = whole_sign(a, b, c, d);
    zeros += truth == 0;
    for (const double scale : {1.0, 0x1p-60, 0x1p40})
      ASSERT_EQ(side_of_plane(scale * a, scale * b, scale * c, scale * d), truth) << i;
  }
  EXPECT_GT(zeros, 500);
  EXPECT_GT(hard, 1000);
}

TEST(ExactSigns, WhereDoubleIsWrong) {
  // Kettner et al. 2008: points along a line, one unit of the last place apart.
  int wrong = 0;
  for (int x = 0; x < 40; ++x)
    for (int y = 0; y < 40; ++y) {
      const Vec3 p(0.5 + x * 0x1p-53, 0.5 + y * 0x1p-53, 0), q(12, 12, 0), r(24, 24, 0);
      const int truth = (y > x) - (y < x);  // above or below the line x = y
      ASSERT_EQ(side_of_line(q, r, p, 2), truth) << x << " " << y;
      const double naive = (r.x() - q.x()) * (p.y() - q.y()) - (r.y() - q.y()) * (p.x() - q.x());
      wrong += ((naive > 0) - (naive < 0)) != truth;
    }
  EXPECT_GT(wrong, 100);
}

CheckedSurface triangle(const Vec3& a, const Vec3& b, const Vec3& c) {
  return {{a, b, c}, {{0, 1, 2}}, {}, false};
}

TEST(Crossings, OfTwoTriangles) {
  const CheckedSurface flat = triangle({0, 0, 0}, {4, 0, 0}, {0, 4, 0});
  const auto count = [&](const CheckedSurface& other) {
    return find_crossings(std::vector{flat, other}).size();
  };
  EXPECT_EQ(count(triangle({1, 1, -1}, {1, 1, 1}, {9, 9, 0.5})), 2u);  // its edge, and the other's
  EXPECT_EQ(count(triangle({1, 1, 1}, {2, 1, 1}, {1, 2, 1e-300})), 0u);
  EXPECT_GT(count(triangle({1, 1, 1}, {2, 1, 1}, {1, 2, 0})), 0u);   // touches with a corner
  EXPECT_GT(count(triangle({1, 1, 0}, {2, 1, 0}, {1, 2, 0})), 0u);   // inside, in its plane
  EXPECT_GT(count(triangle({-1, 1, 0}, {9, 1, 0}, {9, 9, 0})), 0u);  // across, in its plane
  EXPECT_EQ(count(triangle({5, 5, 0}, {6, 5, 0}, {5, 6, 0})), 0u);   // beside, in its plane
  EXPECT_EQ(count(triangle({5, 5, -1}, {5, 5, 1}, {6, 6, 1})), 0u);
  const auto found =
      find_crossings(std::vector{flat, triangle({1, 1, -1}, {1, 1, 1}, {9, 9, 0.5})});
  EXPECT_EQ(found[1].edge_surface, 1);
  EXPECT_EQ(found[1].edge, (std::array<int, 2>{0, 1}));
  EXPECT_EQ(found[1].triangle_surface, 0);
}

TEST(Crossings, OfRandomTrianglesAreThoseOfTryingAll) {
  // Whether the segment meets the triangle, from its parameter and barycentric coordinates in long
  // double; random ones are never near the limit.
  Dice dice(12);
  std::vector<CheckedSurface> one(2);
  int crossing = 0;
  for (int i = 0; i < 300; ++i) {
    std::array<Vec3, 5> x;
    for (Vec3& p : x) p = dice.vector();
    const Vec3 u = x[1] - x[0], v = x[2] - x[0], w = x[4] - x[3], r = x[3] - x[0];
    const double det = w.dot(u.cross(v));
    const double t = -r.dot(u.cross(v)) / det;
    const Vec3 hit = r + t * w;
    const double area = u.cross(v).squaredNorm();
    const double b = hit.cross(v).dot(u.cross(v)) / area, c = u.cross(hit).dot(u.cross(v)) / area;
    const bool truth = t >= 0 && t <= 1 && b >= 0 && c >= 0 && b + c <= 1;
    one[0] = triangle(x[0], x[1], x[2]);
    one[1] = {{x[3], x[4]}, {}, {{0, 1}}, false};
    EXPECT_EQ(find_crossings(one).size(), truth ? 1u : 0u) << i;
    crossing += truth;
  }
  EXPECT_GT(crossing, 10);
}

TEST(Crossings, NeighboursAndFixedOnesDoNotCount) {
  CheckedSurface strip{
      {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, {{0, 1, 2}, {1, 3, 2}}, {}, true};
  EXPECT_TRUE(find_crossings(std::vector{strip}).empty());
  CheckedSurface upright = triangle({0.5, 0.2, -1}, {0.5, 0.2, 1}, {0.5, 0.3, 1});
  EXPECT_FALSE(find_crossings(std::vector{strip, upright}).empty());
  upright.is_fixed = true;
  EXPECT_TRUE(find_crossings(std::vector{strip, upright}).empty());
}

TEST(Intrusions, OfCornersThroughACoarseCloth) {
  // One large triangle over a box whose corner sticks through its middle.
  const CheckedSurface cloth = triangle({-10, -10, 0}, {10, -10, 0}, {0, 20, 0});
  const Shape crate = box({1, 1, 1});
  const Mat3 tilted = Quat::FromTwoVectors(Vec3(1, 1, 1), Vec3::UnitZ()).toRotationMatrix();
  const double corner = std::sqrt(3.0);
  const auto found = find_intrusions(cloth, crate, {Vec3(0.3, 0.2, 0.1 - corner), tilted}, 1e-9);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].place.x(), 0.3, 1e-5);
  // The corner is 0.1 above: the nearest faces are 0.1/√3 away.
  EXPECT_NEAR(found[0].depth, 0.1 / corner, 1e-8);
  EXPECT_TRUE(
      find_intrusions(cloth, crate, {Vec3(0.3, 0.2, -0.001 - corner), tilted}, 1e-9).empty());
}

TEST(Intrusions, OfEveryShape) {
  const CheckedSurface cloth = triangle({-10, -10, 0}, {10, -10, 0}, {0, 20, 0});
  const std::vector<Vec3> points{{-1, -1, -1}, {1, -1, -1}, {0, 1, -1}, {0, 0, 1}};
  const std::vector<std::pair<Shape, double>> shapes{{sphere(1), 1},
                                                     {capsule(0.5, 0.5), 1},
                                                     {box({1, 1, 1}), 1},
                                                     {cylinder(1, 1), 1},
                                                     {cone(1, 1), 1},
                                                     {ellipsoid({2, 3, 1}), 1},
                                                     {convex_hull(points), 1},
                                                     {compound({{sphere(1), Pose3()}}), 1},
                                                     {plane(), 0}};
  for (const auto& [shape, top] : shapes) {
    EXPECT_EQ(find_intrusions(cloth, shape, Pose3(Vec3(0, 0, 0.01 - top)), 1e-9).size(), 1u)
        << name(shape.type);
    EXPECT_TRUE(find_intrusions(cloth, shape, Pose3(Vec3(0, 0, -0.01 - top)), 1e-9).empty())
        << name(shape.type);
  }
}

}  // namespace
}  // namespace taut::collision
