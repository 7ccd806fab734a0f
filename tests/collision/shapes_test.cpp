// Shapes: what they are made from, how large they are, how heavy.
#include <numbers>

#include "support/messages.hpp"
#include "taut/base/error.hpp"
#include "taut/collision/distance.hpp"
#include "taut/collision/mass_properties.hpp"
#include "taut/collision/shape.hpp"

namespace taut::collision {
namespace {

using taut::testing::mentions;
using taut::testing::message_of;
std::vector<Vec3> corners_of_box(const Vec3& s) {
  std::vector<Vec3> points;
  for (int i = 0; i < 8; ++i)
    points.push_back({i & 1 ? s.x() : -s.x(), i & 2 ? s.y() : -s.y(), i & 4 ? s.z() : -s.z()});
  return points;
}

/// A cube with the corners −1 and 1, as triangles.
Shape cube_mesh(bool is_closed = true) {
  std::vector<std::array<int, 3>> triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6},
                                               {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                               {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  if (!is_closed) triangles.pop_back();
  return triangle_mesh(corners_of_box(Vec3::Ones()), triangles);
}

void expect_same(const MassProperties& a, const MassProperties& b, double tolerance) {
  EXPECT_NEAR(a.volume, b.volume, tolerance * b.volume);
  const double size = std::cbrt(b.volume);
  EXPECT_LT((a.centre - b.centre).norm(), tolerance * size);
  EXPECT_LT((a.inertia - b.inertia).norm(), tolerance * b.inertia.norm());
}

TEST(Mass, ClosedForms) {
  const double r = 0.7, h = 1.3;
  const MassProperties ball = mass_properties(sphere(r));
  EXPECT_NEAR(ball.volume, 4 * std::numbers::pi / 3 * r * r * r, 1e-14);
  EXPECT_NEAR(ball.inertia(1, 1), 0.4 * ball.volume * r * r, 1e-14);

  const MassProperties block = mass_properties(box({1, 2, 3}));
  EXPECT_NEAR(block.volume, 48, 1e-12);
  EXPECT_NEAR(block.inertia(0, 0), 48.0 / 3 * (4 + 9), 1e-11);

  const MassProperties drum = mass_properties(cylinder(r, h));
  EXPECT_NEAR(drum.volume, 2 * std::numbers::pi * r * r * h, 1e-13);
  EXPECT_NEAR(drum.inertia(2, 2), drum.volume * r * r / 2, 1e-13);
  EXPECT_NEAR(drum.inertia(0, 0), drum.volume * (3 * r * r + 4 * h * h) / 12, 1e-13);

  const MassProperties tip = mass_properties(cone(r, h));
  EXPECT_NEAR(tip.volume, std::numbers::pi * r * r * 2 * h / 3, 1e-13);
  EXPECT_NEAR(tip.centre.z(), -h / 2, 1e-13);
  EXPECT_NEAR(tip.inertia(2, 2), 0.3 * tip.volume * r * r, 1e-13);
  EXPECT_NEAR(tip.inertia(0, 0), tip.volume * (0.15 * r * r + 3.0 / 80 * 4 * h * h), 1e-13);

  const MassProperties pill = mass_properties(capsule(h, r));
  const double rod = 2 * std::numbers::pi * r * r * h, ends = 4 * std::numbers::pi / 3 * r * r * r;
  EXPECT_NEAR(pill.volume, rod + ends, 1e-13);
  EXPECT_NEAR(pill.inertia(2, 2), rod * r * r / 2 + ends * 0.4 * r * r, 1e-13);
  EXPECT_NEAR(pill.inertia(0, 0),
              rod * (r * r / 4 + h * h / 3) + ends * (0.4 * r * r + h * h + 0.75 * h * r), 1e-13);

  const MassProperties egg = mass_properties(ellipsoid({1, 2, 3}));
  EXPECT_NEAR(egg.inertia(2, 2), egg.volume * (1 + 4) / 5, 1e-12);
}

TEST(Mass, HullAndMeshOfABox) {
  const Vec3 s(1, 1, 1);
  std::vector<Vec3> points = corners_of_box(s);
  points.push_back({0.1, 0.2, 0.3});  // inside
  const Shape hull = convex_hull(points);
  EXPECT_EQ(hull.hull->vertices.size(), 8u);
  EXPECT_EQ(hull.hull->face_count(), 6);
  EXPECT_EQ(hull.hull->edges.size(), 12u);
  expect_same(mass_properties(hull), mass_properties(box(s)), 1e-13);
  expect_same(mass_properties(cube_mesh()), mass_properties(box(s)), 1e-13);
}

// A compound of pieces that share nothing: the sum does not depend on how a body is divided.
TEST(Mass, CompoundOfHalves) {
  const Shape halves = compound(
      {{box({1, 1, 0.5}), Pose3(Vec3(0, 0, 0.5))},
       {box({0.5, 1, 1}),
        Pose3(Vec3(0, 0, -0.5), Quat(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitY())))}});
  expect_same(mass_properties(halves), mass_properties(box(Vec3::Ones())), 1e-13);
}

// Rounded bodies against each other: a rounded prism with many sides is a rounded cylinder, a
// rounded sphere a sphere, and one of the box has Steiner's volume.
TEST(Mass, Rounded) {
  const double e = 0.3;
  const Vec3 s(1, 2, 3);
  const double volume = 48 + e * 2 * (4 * s.x() * s.y() + 4 * s.y() * s.z() + 4 * s.z() * s.x()) +
                        std::numbers::pi * e * e * 2 * (s.x() + s.y() + s.z()) +
                        4 * std::numbers::pi / 3 * e * e * e;
  const MassProperties block = mass_properties(rounded(box(s), e));
  EXPECT_NEAR(block.volume, volume, 1e-12 * volume);
  expect_same(mass_properties(rounded(convex_hull(corners_of_box(s)), e)), block, 1e-12);
  expect_same(mass_properties(rounded(ellipsoid(Vec3::Constant(0.5)), e)),
              mass_properties(sphere(0.8)), 1e-12);

  const auto prism = [&](int n) {
    std::vector<Vec3> points;
    const double r = std::sqrt(2 * std::numbers::pi /
                               (n * std::sin(2 * std::numbers::pi / n)));  // of the area π
    for (int i = 0; i < n; ++i)
      for (const double z : {-1.0, 1.0})
        points.push_back({r * std::cos(2 * std::numbers::pi * i / n),
                          r * std::sin(2 * std::numbers::pi * i / n), z});
    return mass_properties(rounded(convex_hull(points), e));
  };
  const MassProperties drum = mass_properties(rounded(cylinder(1, 1), e));
  const double coarse = (prism(32).inertia - drum.inertia).norm();
  const double fine = (prism(128).inertia - drum.inertia).norm();
  EXPECT_LT(coarse, 2e-3 * drum.inertia.norm());
  EXPECT_NEAR(coarse / fine, 16, 0.2);  // second order in the size of the sides

  // An edge of a tetrahedron is no right angle: moving the body moves its moments and no more.
  const std::vector<Vec3> corners = {{0, 0, 0}, {1, 0, 0}, {0.2, 1, 0}, {0.1, 0.3, 0.8}};
  std::vector<Vec3> far = corners;
  const Quat turn(Eigen::AngleAxisd(1, Vec3(1, 2, 3).normalized()));
  for (Vec3& p : far) p = turn * p + Vec3(10, 20, 30);
  const MassProperties here = mass_properties(rounded(convex_hull(corners), e));
  MassProperties there = mass_properties(rounded(convex_hull(far), e));
  there.centre = turn.conjugate() * (there.centre - Vec3(10, 20, 30));
  there.inertia = turn.conjugate() * there.inertia * turn.toRotationMatrix();
  expect_same(there, here, 1e-11);
}

// Points inside a rounded cone and ellipsoid, counted.
TEST(Mass, RoundedBodiesByCounting) {
  for (const Shape& shape :
       {rounded(cone(1, 0.8), 0.25), rounded(ellipsoid({1, 0.5, 0.3}), 0.2),
        rounded(convex_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0.2, 1, 0}, {0.1, 0.3, 0.8}}),
                0.25)}) {
    const MassProperties m = mass_properties(shape);
    const Bounds box = bounds(shape, Pose3());
    constexpr int n = 30;
    const Vec3 cell = (box.high - box.low) / n;
    double volume = 0;
    Vec3 first = Vec3::Zero();
    Mat3 inertia = Mat3::Zero();
    const Shape point = sphere(1e-12);
    for (int i = 0; i < n * n * n; ++i) {
      const Vec3 p =
          box.low + cell.cwiseProduct(Vec3(i % n + 0.5, i / n % n + 0.5, i / n / n + 0.5));
      const bool is_inside = overlap(shape, Pose3(), point, Pose3(p));
      if (!is_inside) continue;
      const double v = cell.prod();
      volume += v;
      first += v * p;
      const Vec3 x = p - m.centre;
      inertia += v * (x.squaredNorm() * Mat3::Identity() - x * x.transpose());
    }
    EXPECT_NEAR(volume, m.volume, 0.01 * m.volume);
    EXPECT_LT((first / volume - m.centre).norm(), 5e-3);
    EXPECT_LT((inertia - m.inertia).norm(), 0.015 * m.inertia.norm());
  }
}

TEST(Mass, OfWhatIsNoBody) {
  EXPECT_THROW(mass_properties(plane()), Error);
  EXPECT_THROW(mass_properties(cube_mesh(false)), Error);
  EXPECT_THROW(mass_properties(height_field(2, 2, 1, {0, 0, 0, 0})), Error);
}

TEST(Bounds, AreTight) {
  const Pose3 at(Vec3(1, 2, 3), Quat(Eigen::AngleAxisd(0.7, Vec3(1, 2, -1).normalized())));
  const std::vector<Vec3> points = {{0, 0, 0}, {1, 0, 0}, {0.2, 1, 0}, {0.1, 0.3, 0.8}};
  for (const Shape& shape :
       {sphere(0.4), capsule(1, 0.3), box({1, 2, 0.5}), cylinder(0.5, 1), cone(0.5, 1),
        ellipsoid({1, 2, 3}), convex_hull(points), rounded(box({1, 2, 0.5}), 0.2)}) {
    const Bounds b = bounds(shape, at);
    for (int k = 0; k < 3; ++k)
      for (const double sign : {1.0, -1.0}) {
        const Vec3 d = sign * Vec3::Unit(k);
        const Vec3 p = at * support(shape, at.rotation.transpose() * d);
        EXPECT_NEAR(p[k], sign > 0 ? b.high[k] : b.low[k], 1e-14) << name(shape.type);
      }
    EXPECT_GE(reach(shape), (at.to_local(b.high) - Vec3::Zero()).norm() * 0.2);
  }
}

TEST(Shapes, RefuseWhatIsNone) {
  const auto refused = [](const auto& make, std::string_view place, std::string_view pieces) {
    EXPECT_TRUE(mentions(message_of(make), place, pieces));
  };
  refused([] { sphere(0); }, "sphere", "radius|0|expected");
  refused([] { box({1, -2, 3}); }, "box", "y|-2|expected");
  refused([] { capsule(1, NAN); }, "capsule", "radius|nan");
  refused([] { box({1e-9, 1, 1}); }, "box", "1e+09 times");
  refused([] { rounded(plane(), 1); }, "rounded", "plane|convex");
  refused([] { compound({}); }, "compound", "no pieces");
  refused([] { compound({{plane(), Pose3()}}); }, "compound", "piece 0|plane|convex");
  refused(
      [] {
        compound({{sphere(1), Pose3(Vec3::Zero(), Mat3(2 * Mat3::Identity()))}});
      },
      "compound", "piece 0|rotation");
  refused([] { convex_hull(std::vector<Vec3>(3)); }, "convex hull", "3 points|at least 4");
  refused(
      [] {
        convex_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}});
      },
      "convex hull", "one plane");
  refused(
      [] {
        convex_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1e-8}});
      },
      "convex hull", "one plane");
  refused(
      [] {
        triangle_mesh({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{0, 1, 2}});
      },
      "mesh", "triangle 0|one line");
  refused(
      [] {
        triangle_mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 3}});
      },
      "mesh", "vertex 3|0 to 2");
  refused(
      [] {
        triangle_mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, {{0, 1, 2}, {0, 1, 3}});
      },
      "mesh", "0 and 1|opposite");
  refused([] { height_field(2, 2, 1, {0, 0, 0}); }, "height field", "3 heights|4");
}

}  // namespace
}  // namespace taut::collision
