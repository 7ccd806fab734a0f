// Sheets near shapes: closed forms, and the distances of the shapes' own queries.
#include "taut/collision/sheet_shapes.hpp"

#include "support/dice.hpp"
#include "taut/collision/distance.hpp"

namespace taut::collision {
namespace {

using testing::Dice;

struct OneTriangle {
  Sheet sheet;
  std::vector<Vec3> x;

  explicit OneTriangle(const Vec3& a, const Vec3& b, const Vec3& c) : x{a, b, c} {
    sheet.add_triangles(std::vector<std::array<int, 3>>{{0, 1, 2}}, 3, "cloth");
  }
  std::vector<NearShape> near(const Shape& shape, const Pose3& at, double reach) const {
    SheetTree tree(sheet);
    NearShapeRoom room;
    EXPECT_TRUE(tree.refit({x, {}, {}, 0.5 * reach}));
    std::vector<NearShape> found;
    find_near_shape({sheet, tree, x, shape, at, reach}, room, found);
    return found;
  }
};

Vec3 place(const std::vector<Vec3>& x, const NearShape& near) {
  Vec3 out = Vec3::Zero();
  for (std::size_t k = 0; k < 3; ++k)
    if (near.vertex[k] >= 0) out += near.weight[k] * x[static_cast<std::size_t>(near.vertex[k])];
  return out;
}

TEST(SheetShapes, ACornerUnderACoarseClothIsSeen) {
  const OneTriangle cloth({-10, -10, 0.1}, {10, -10, 0.1}, {0, 20, 0.1});
  const Mat3 tilted = Quat::FromTwoVectors(Vec3(1, 1, 1), Vec3::UnitZ()).toRotationMatrix();
  const Pose3 at(Vec3(0.3, 0.2, -std::sqrt(3.0)), tilted);
  const auto found = cloth.near(box({1, 1, 1}), at, 0.2);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].gap, 0.1, 1e-12);
  EXPECT_LT((found[0].normal - Vec3::UnitZ()).norm(), 1e-9);
  EXPECT_LT((found[0].on_shape - Vec3(0.3, 0.2, 0)).norm(), 1e-9);
  EXPECT_LT((place(cloth.x, found[0]) - Vec3(0.3, 0.2, 0.1)).norm(), 1e-9);
  EXPECT_TRUE(cloth.near(box({1, 1, 1}), at, 0.09).empty());
}

TEST(SheetShapes, FlatOnAFaceOnlyCornersTouch) {
  const OneTriangle cloth({-0.5, -0.5, 1.01}, {0.5, -0.5, 1.01}, {0, 0.5, 1.01});
  const auto found = cloth.near(box({1, 1, 1}), Pose3(), 0.02);
  ASSERT_EQ(found.size(), 3u);
  for (const NearShape& near : found) {
    EXPECT_EQ(near.weight[0], 1);
    EXPECT_NEAR(near.gap, 0.01, 1e-15);
  }
  EXPECT_EQ(cloth.near(plane(), Pose3(Vec3(0, 0, 1)), 0.02).size(), 3u);
}

TEST(SheetShapes, RoundShapesPushTheInside) {
  const OneTriangle cloth({-1, -1, 0}, {1, -1, 0}, {0, 2, 0});
  const auto ball = cloth.near(sphere(0.5), Pose3(Vec3(0, 0, -0.49)), 0.02);
  ASSERT_EQ(ball.size(), 1u);
  EXPECT_NEAR(ball[0].gap, -0.01, 1e-15);
  EXPECT_EQ(ball[0].vertex, (std::array<int, 3>{0, 1, 2}));
  // Beside its first edge: only that takes part, whichever triangle asks.
  const auto beside = cloth.near(sphere(0.5), Pose3(Vec3(0.2, -1.505, 0)), 0.02);
  ASSERT_EQ(beside.size(), 1u);
  EXPECT_EQ(beside[0].vertex, (std::array<int, 3>{0, 1, -1}));
  EXPECT_NEAR(beside[0].weight[1], 0.6, 1e-12);
  EXPECT_NEAR(beside[0].gap, 0.005, 1e-12);
}

// It stands on a corner, and comes to lie over the top of the ball.
TEST(SheetShapes, WhatTipsOverIsSeenWhereItWillBeNearest) {
  const OneTriangle cloth({-0.1, -0.1, 0.55}, {0.2, 0, 0.7}, {-0.1, 0.1, 0.7});
  const std::vector<Vec3> to{{-0.1, -0.1, 0.505}, {0.2, 0, 0.505}, {-0.1, 0.1, 0.505}};
  const Shape ball = sphere(0.5);
  SheetTree tree(cloth.sheet);
  NearShapeRoom room;
  ASSERT_TRUE(tree.refit({cloth.x, to, {}, 0.05}));
  const std::vector<double> way(3, 0.2);
  std::vector<NearShape> found;
  find_near_shape({cloth.sheet, tree, cloth.x, ball, Pose3(), 0.01, to, Pose3(), way}, room, found);
  int inside = 0;
  for (const NearShape& near : found) {
    if (near.vertex[2] < 0) continue;
    ++inside;
    Vec3 then = Vec3::Zero();
    for (std::size_t k = 0; k < 3; ++k)
      then += near.weight[k] * to[static_cast<std::size_t>(near.vertex[k])];
    EXPECT_LT((then - Vec3(0, 0, 0.505)).norm(), 1e-6);
    // The gap is that of now.
    EXPECT_NEAR(near.gap, place(cloth.x, near).norm() - 0.5, 1e-9);
  }
  EXPECT_EQ(inside, 1);
}

TEST(SheetShapes, RopesAndEveryPieceOfACompound) {
  Sheet sheet;
  sheet.add_edges(std::vector<std::array<int, 2>>{{0, 1}}, 2, "rope");
  const std::vector<Vec3> x{{-1, 0, 0.3}, {1, 0, 0.3}};
  SheetTree tree(sheet);
  NearShapeRoom room;
  ASSERT_TRUE(tree.refit({x, {}, {}, 0.01}));
  const Shape two = compound(
      {{sphere(0.29), Pose3(Vec3(-0.5, 0, 0))}, {capsule(0.2, 0.1), Pose3(Vec3(0.5, 0, 0))}});
  std::vector<NearShape> found;
  find_near_shape({sheet, tree, x, two, Pose3(), 0.02}, room, found);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found[0].gap, 0.01, 1e-12);
  EXPECT_NEAR(found[0].weight[0], 0.75, 1e-9);
  EXPECT_NEAR(found[1].gap, 0, 1e-12);
  EXPECT_NE(found[0].feature, found[1].feature);
}

/// The nearest of all that is found is as near as the shape is to the triangle.
TEST(SheetShapes, TheNearestIsTheDistance) {
  Dice dice(31);
  const std::vector<Vec3> points{{-1, -1, -1}, {1, -1, -1}, {0, 1, -1}, {0, 0, 1}};
  const std::vector<Shape> shapes{sphere(0.7),        capsule(0.5, 0.3), box({0.5, 0.7, 0.9}),
                                  cylinder(0.5, 0.7), cone(0.6, 0.8),    ellipsoid({0.4, 0.6, 0.8}),
                                  convex_hull(points)};
  int apart = 0;
  for (int i = 0; i < 400; ++i) {
    const Shape& shape = shapes[static_cast<std::size_t>(i) % shapes.size()];
    const Pose3 at(2.5 * dice.vector(), dice.rotation());
    const OneTriangle cloth(dice.vector(), dice.vector(), dice.vector());
    const Distance d = distance(triangle_mesh(cloth.x, {{0, 1, 2}}), Pose3(), shape, at);
    if (d.gap < 0) continue;
    ++apart;
    const auto found = cloth.near(shape, at, d.gap + 0.1);
    ASSERT_FALSE(found.empty()) << i;
    double least = INFINITY;
    for (const NearShape& near : found) {
      least = std::min(least, near.gap);
      EXPECT_LT((place(cloth.x, near) - near.on_shape - near.gap * near.normal).norm(), 1e-6) << i;
    }
    EXPECT_NEAR(least, d.gap, 1e-8) << name(shape.type) << " " << i;
    EXPECT_TRUE(cloth.near(shape, at, d.gap - 1e-6).empty());
  }
  EXPECT_GT(apart, 150);
}

}  // namespace
}  // namespace taut::collision
