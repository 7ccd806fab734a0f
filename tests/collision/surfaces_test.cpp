// Meshes and height fields.
#include <random>

#include "taut/collision/cast.hpp"
#include "taut/collision/contacts.hpp"

namespace taut::collision {
namespace {

double hill(double x, double y) { return 0.3 * std::sin(2 * x) * std::cos(1.5 * y); }

/// A grid of n × n cells on 0 … 4, as a mesh or as a height field.
Shape ground(bool is_mesh, int n, double (*height)(double, double)) {
  const double step = 4.0 / n;
  std::vector<double> heights;
  std::vector<Vec3> vertices;
  for (int y = 0; y <= n; ++y)
    for (int x = 0; x <= n; ++x) {
      heights.push_back(height(x * step, y * step));
      vertices.push_back({x * step, y * step, heights.back()});
    }
  if (!is_mesh) return height_field(n + 1, n + 1, step, heights);
  std::vector<std::array<int, 3>> triangles;
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) {
      const int a = x + (n + 1) * y;
      triangles.push_back({a, a + 1, a + n + 2});
      triangles.push_back({a, a + n + 2, a + n + 1});
    }
  return triangle_mesh(vertices, triangles);
}

double flat(double, double) { return 0; }

class Ground : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Surfaces, Ground, ::testing::Bool(), [](const auto& parameter) {
  return std::string(parameter.param ? "mesh" : "height_field");
});

// What slides over a floor of triangles is pushed straight up, by just as much as by a plane.
TEST_P(Ground, NoGhostsOnAFlatFloor) {
  const Shape floor = ground(GetParam(), 8, flat);
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> place(1.2, 2.8), angle(0, 6.3);
  std::vector<ContactPoint> list;
  for (const Shape& shape : {sphere(0.3), box({0.3, 0.2, 0.3}), capsule(0.4, 0.3),
                             cylinder(0.3, 0.3), rounded(box({0.3, 0.2, 0.2}), 0.1)}) {
    for (int i = 0; i < 300; ++i) {
      // Often just over edges and corners of the grid.
      const bool on_grid = i % 3 == 0;
      const double depth = i % 2 ? 1e-3 : -5e-3;
      Vec3 at(place(engine), place(engine), 0.3 - depth);
      if (on_grid) at = Vec3(0.5 * std::round(2 * at.x()), 0.5 * std::round(2 * at.y()), at.z());
      Quat turn(Eigen::AngleAxisd(on_grid ? 0 : angle(engine), Vec3::UnitZ()));
      if (shape.type == ShapeType::capsule)
        turn = turn * Quat(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitX()));
      list.clear();
      contacts(floor, Pose3(), shape, Pose3(at, turn), 0.01, list);
      ASSERT_FALSE(list.empty()) << name(shape.type) << " " << at.transpose();
      EXPECT_LE(list.size(), std::size_t{most_contacts});
      for (const ContactPoint& c : list) {
        EXPECT_LT((c.normal - Vec3::UnitZ()).norm(), 1e-9) << name(shape.type) << at.transpose();
        EXPECT_NEAR(c.gap, -depth, 1e-9);
      }
      // The manifold is as wide as the one with a plane.
      std::vector<ContactPoint> smooth;
      contacts(plane(), Pose3(), shape, Pose3(at, turn), 0.01, smooth);
      const auto width = [](const std::vector<ContactPoint>& points) {
        double most = 0;
        for (const ContactPoint& c : points)
          for (const ContactPoint& d : points) most = std::max(most, (c.on_a - d.on_a).norm());
        return most;
      };
      EXPECT_NEAR(width(list), width(smooth), 0.03 * width(smooth) + 1e-9) << name(shape.type);
    }
  }
}

// A ball on hills: the deepest contact is the distance to the surface, the normal points outwards.
TEST_P(Ground, BallOnHills) {
  const Shape hills = ground(GetParam(), 20, hill);
  std::mt19937 engine(2);
  std::uniform_real_distribution<double> place(0.5, 3.5);
  std::vector<ContactPoint> list;
  int touching = 0;
  for (int i = 0; i < 300; ++i) {
    const double x = place(engine), y = place(engine);
    const Pose3 at(Vec3(x, y, hill(x, y) + 0.1));
    const Shape ball = sphere(0.1);
    list.clear();
    contacts(hills, Pose3(), ball, at, 0.02, list);
    const Distance d = distance(hills, Pose3(), ball, at);
    if (d.gap > 0.02) continue;
    ++touching;
    ASSERT_FALSE(list.empty());
    double least = INFINITY;
    for (const ContactPoint& c : list) {
      least = std::min(least, c.gap);
      EXPECT_GT(c.normal.z(), 0.7);
    }
    EXPECT_NEAR(least, d.gap, 1e-10);
  }
  EXPECT_GT(touching, 250);
}

TEST_P(Ground, RaysHitWhereTheHeightIs) {
  const Shape hills = ground(GetParam(), 20, hill);
  const Pose3 at(Vec3(1, 2, 3), Quat(Eigen::AngleAxisd(0.4, Vec3(1, 1, 0).normalized())));
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> place(-1, 5), side(-1, 1);
  int hits = 0;
  for (int i = 0; i < 500; ++i) {
    const Vec3 origin(place(engine), place(engine), 2), direction(side(engine), side(engine), -1);
    RayHit hit;
    const bool is_hit = ray_cast(hills, at, at * origin, at.rotation * direction, 10, hit);
    // Along the ray in small steps, by the triangles' own height.
    const auto height = [&](const Vec3& p) {
      const double u = p.x() / 0.2, v = p.y() / 0.2;
      const int x = std::clamp(static_cast<int>(u), 0, 19),
                y = std::clamp(static_cast<int>(v), 0, 19);
      const double fx = u - x, fy = v - y;
      const auto h = [&](int a, int b) { return hill(0.2 * a, 0.2 * b); };
      return fx >= fy ? h(x, y) * (1 - fx) + h(x + 1, y) * (fx - fy) + h(x + 1, y + 1) * fy
                      : h(x, y) * (1 - fy) + h(x, y + 1) * (fy - fx) + h(x + 1, y + 1) * fx;
    };
    const auto is_over = [](const Vec3& p) {
      return p.x() >= 0 && p.x() <= 4 && p.y() >= 0 && p.y() <= 4;
    };
    double expected = -1;
    for (int k = 0; k < 4000 && expected < 0; ++k) {
      const Vec3 p = origin + k * 1e-3 * direction, q = p + 1e-3 * direction;
      if (is_over(p) && is_over(q) && (p.z() > height(p)) != (q.z() > height(q)))
        expected = k * 1e-3;
    }
    ASSERT_EQ(is_hit, expected >= 0) << i;
    if (!is_hit) continue;
    ++hits;
    EXPECT_NEAR(hit.t, expected, 1.1e-3);
    const Vec3 local = at.to_local(hit.point);
    EXPECT_NEAR(local.z(), height(local), 1e-12);
    EXPECT_LT(hit.normal.dot(at.rotation * direction), 0);
  }
  EXPECT_GT(hits, 150);
}

/// Two long roofs in one mesh: a ridge and a valley, along y.
Shape ridge(double slope) {
  std::vector<Vec3> v = {{-1, -2, -slope}, {0, -2, 0}, {1, -2, -slope},
                         {-1, 2, -slope},  {0, 2, 0},  {1, 2, -slope}};
  return triangle_mesh(v, {{0, 1, 4}, {0, 4, 3}, {1, 2, 5}, {1, 5, 4}});
}

// A box that rests on a ridge is pushed up by the edge, not sideways by the slopes.
TEST(Mesh, BoxOnARidge) {
  std::vector<ContactPoint> list;
  for (const double gap : {-1e-4, 1e-4}) {
    list.clear();
    contacts(ridge(1), Pose3(), box({0.5, 0.5, 0.5}), Pose3(Vec3(0, 0.3, 0.5 + gap)), 1e-3, list);
    ASSERT_GE(list.size(), 2u);
    double low = 10, high = -10;
    for (const ContactPoint& c : list) {
      EXPECT_LT((c.normal - Vec3::UnitZ()).norm(), 1e-9);
      EXPECT_NEAR(c.gap, gap, 1e-10);
      low = std::min(low, c.on_b.y());
      high = std::max(high, c.on_b.y());
    }
    EXPECT_NEAR(high - low, 1, 1e-9);
  }
}

// In a valley the edge pushes nothing; both slopes do.
TEST(Mesh, BallInAValley) {
  std::vector<ContactPoint> list;
  const double r = 0.3;
  contacts(ridge(-1), Pose3(), sphere(r), Pose3(Vec3(0, 0.1, r * std::sqrt(2.0))), 1e-3, list);
  ASSERT_EQ(list.size(), 2u);
  for (const ContactPoint& c : list) {
    EXPECT_NEAR(c.gap, 0, 1e-12);
    EXPECT_NEAR(std::abs(c.normal.x()), std::sqrt(0.5), 1e-12);
    EXPECT_NEAR(c.normal.z(), std::sqrt(0.5), 1e-12);
  }
}

TEST(Mesh, IsSeenFromOneSide) {
  const Shape floor = ground(true, 4, flat);
  std::vector<ContactPoint> list;
  contacts(floor, Pose3(), sphere(0.2), Pose3(Vec3(2.1, 2.2, -0.1)), 1e-3, list);
  ASSERT_FALSE(list.empty());  // its top is still above
  EXPECT_NEAR(list[0].gap, -0.3, 1e-12);
  EXPECT_NEAR(list[0].normal.z(), 1, 1e-12);
  list.clear();
  contacts(floor, Pose3(), sphere(0.2), Pose3(Vec3(2.1, 2.2, -0.3)), 1e-3, list);
  EXPECT_TRUE(list.empty());
}

}  // namespace
}  // namespace taut::collision
