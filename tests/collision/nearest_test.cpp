// Nearest points, each proved in long double by what it says itself: the points are in the
// features, and nothing is nearer than along the normal.
#include "taut/collision/nearest.hpp"

#include "support/dice.hpp"

namespace taut::collision {
namespace {

using testing::Dice;
using Wide3 = std::array<long double, 3>;

long double along(const Vec3& n, const Vec3& a, const Vec3& b) {
  long double sum = 0;
  for (int k = 0; k < 3; ++k)
    sum += static_cast<long double>(n[k]) * (static_cast<long double>(a[k]) - b[k]);
  return sum;
}

/// How wrong the distance can be: between the least n·(a − b), which no pair of points is nearer
/// than, and the distance of two points of the features.
double wrongness(const std::array<Vec3, 4>& x, bool is_edges, const Nearest& nearest) {
  const auto is_first = [&](std::size_t k) { return is_edges ? k < 2 : k == 0; };
  long double size = 0, lower = INFINITY;
  double first = 0, second = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    (is_first(k) ? first : second) += nearest.weight[k];
    if (is_first(k) ? nearest.weight[k] < 0 : nearest.weight[k] > 0) return INFINITY;
    for (std::size_t j = 0; j < 4; ++j) {
      size = std::max<long double>(size, (x[k] - x[j]).norm());
      if (is_first(k) && !is_first(j)) lower = std::min(lower, along(nearest.normal, x[k], x[j]));
    }
  }
  if (std::abs(first - 1) > 1e-15 || std::abs(second + 1) > 1e-15) return INFINITY;
  if (std::abs(nearest.normal.norm() - 1) > 1e-14) return INFINITY;
  Wide3 apart{};
  for (int axis = 0; axis < 3; ++axis)
    for (std::size_t k = 1; k < 4; ++k)
      apart[static_cast<std::size_t>(axis)] += static_cast<long double>(nearest.weight[k]) *
                                               (static_cast<long double>(x[k][axis]) - x[0][axis]);
  const long double upper =
      std::sqrt(apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2]);
  const long double d = nearest.distance;
  if (size == 0) return static_cast<double>(std::abs(d));
  // The direction of a short way is known less well than its length.
  const long double known = std::min<long double>(1, d / size);
  return static_cast<double>(std::max(std::abs(d - upper), (d - lower) * known) / size);
}

/// Four points of one of many kinds: plump, flat, thin, in a line, in one point, on a grid.
std::array<Vec3, 4> random_points(Dice& dice) {
  std::array<Vec3, 4> x;
  const int kind = dice.below(7);
  for (Vec3& p : x) p = dice.vector();
  const double tiny = dice.power(-17, -1);
  if (kind == 1)
    for (Vec3& p : x) p.z() *= tiny;  // nearly in a plane
  if (kind == 2) {
    for (Vec3& p : x) p.z() *= tiny, p.y() *= tiny;  // nearly in a line
    x[static_cast<std::size_t>(dice.below(4))] = dice.vector();
  }
  if (kind == 3)
    for (Vec3& p : x) p = Vec3(dice.below(3), dice.below(3), dice.below(3));
  if (kind == 4)
    x[3] = x[2] + (x[1] - x[0]) * dice.between(-2, 2) + tiny * dice.vector();  // parallel
  if (kind == 5)
    x[static_cast<std::size_t>(dice.below(4))] = x[static_cast<std::size_t>(dice.below(4))];
  if (kind == 6) x[0] = 0.3 * x[1] + 0.5 * x[2] + 0.2 * x[3] + tiny * dice.vector();
  const double scale = std::ldexp(1.0, dice.below(41) - 20);
  for (Vec3& p : x) p *= scale;
  return x;
}

TEST(NearestPoints, AreProved) {
  Dice dice(1);
  double worst_triangle = 0, worst_edges = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::array<Vec3, 4> x = random_points(dice);
    const double triangle = wrongness(x, false, point_triangle(x));
    const double edges = wrongness(x, true, edge_edge(x));
    ASSERT_LT(triangle, 1e-13) << "case " << i;
    ASSERT_LT(edges, 1e-13) << "case " << i;
    worst_triangle = std::max(worst_triangle, triangle);
    worst_edges = std::max(worst_edges, edges);
  }
  RecordProperty("triangle", std::to_string(worst_triangle));
  EXPECT_GT(worst_edges, 0);
}

TEST(NearestPoints, OfScaledFeaturesAreScaled) {
  Dice dice(2);
  for (int i = 0; i < 2000; ++i) {
    const std::array<Vec3, 4> x = random_points(dice);
    std::array<Vec3, 4> small = x;
    for (Vec3& p : small) p *= 0x1p-10;
    EXPECT_EQ(point_triangle(small).distance, 0x1p-10 * point_triangle(x).distance);
    EXPECT_EQ(edge_edge(small).weight, edge_edge(x).weight);
  }
}

TEST(NearestPoints, TellTheFeature) {
  // Above the middle of the triangle, beside an edge, beyond a corner.
  const Vec3 a(0, 0, 0), b(1, 0, 0), c(0, 1, 0);
  const Nearest face = point_triangle({Vec3(0.25, 0.25, -2), a, b, c});
  EXPECT_EQ(face.distance, 2);
  EXPECT_EQ(face.normal, Vec3(0, 0, -1));
  EXPECT_EQ(face.weight, (std::array<double, 4>{1, -0.5, -0.25, -0.25}));
  const Nearest edge = point_triangle({Vec3(0.25, -3, 0), a, b, c});
  EXPECT_EQ(edge.distance, 3);
  EXPECT_EQ(edge.weight, (std::array<double, 4>{1, -0.75, -0.25, 0}));
  const Nearest corner = point_triangle({Vec3(5, -3, 0), a, b, c});
  EXPECT_EQ(corner.distance, 5);
  EXPECT_EQ(corner.weight, (std::array<double, 4>{1, 0, -1, 0}));
  const Nearest crossed = edge_edge({Vec3(-1, 0, 1), Vec3(1, 0, 1), Vec3(0, -1, 0), Vec3(0, 3, 0)});
  EXPECT_EQ(crossed.distance, 1);
  EXPECT_EQ(crossed.normal, Vec3(0, 0, 1));
  EXPECT_EQ(crossed.weight, (std::array<double, 4>{0.5, 0.5, -0.75, -0.25}));
  const Nearest on_edge = point_edge({Vec3(0, 1, 0), Vec3(-1, 0, 0), Vec3(1, 0, 0)});
  EXPECT_EQ(on_edge.distance, 1);
  EXPECT_EQ(on_edge.weight, (std::array<double, 4>{1, -0.5, -0.5, 0}));
}

TEST(NearestPoints, OfNoNumbersAreNone) {
  for (std::size_t k = 0; k < 4; ++k) {
    std::array<Vec3, 4> x{Vec3(0, 0, 1), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
    x[k].y() = NAN;
    EXPECT_TRUE(std::isnan(point_triangle(x).distance)) << k;
    EXPECT_TRUE(std::isnan(edge_edge(x).distance)) << k;
  }
}

}  // namespace
}  // namespace taut::collision
