// How far a sheet and a moving shape can go before they meet.
#include "taut/collision/sheet_sweep.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/dice.hpp"
#include "taut/collision/crossings.hpp"

namespace taut::collision {
namespace {

using testing::Dice;

constexpr double separation = 1e-3, least = 1e-6;

Shape random_shape(Dice& dice) {
  switch (dice.below(6)) {
    case 0:
      return sphere(dice.between(0.1, 0.4));
    case 1:
      return box(Vec3(dice.between(0.1, 0.4), dice.between(0.1, 0.4), dice.between(0.02, 0.4)));
    case 2:
      return capsule(dice.between(0.1, 0.4), dice.between(0.05, 0.2));
    case 3:
      return cylinder(dice.between(0.1, 0.4), dice.between(0.05, 0.4));
    case 4:
      return compound({{box(Vec3(0.3, 0.1, 0.1)), Pose3(Vec3(0.2, 0, 0))},
                       {sphere(0.2), Pose3(Vec3(-0.2, 0.1, 0))}});
    default:
      return plane();
  }
}

// What is free is free: at no time up to there is a corner, or any of many points of the triangle,
// in the shape. And where the way is short of the whole, they are near.
TEST(SheetSweep, NothingIsMetBefore) {
  int hits = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    Dice dice(seed);
    Sheet sheet;
    const std::array<std::array<int, 3>, 1> triangles{{{0, 1, 2}}};
    sheet.add_triangles(triangles, 3, "one");
    const Shape shape = random_shape(dice);
    const bool turns = shape.type != ShapeType::plane && dice.below(2) == 0;  // planes do not
    const Pose3 start(0.1 * dice.vector(), dice.rotation());
    const Motion3 motion(start, 0.5 * dice.vector(), turns ? Vec3(2 * dice.vector()) : Vec3::Zero(),
                         1);
    std::vector<Vec3> from, to;
    const Vec3 middle = 1.2 * dice.vector(), way = -2 * middle + 0.3 * dice.vector();
    for (int k = 0; k < 3; ++k) {
      from.push_back(middle + dice.between(0.01, 0.5) * dice.vector());
      to.push_back(from.back() + way + 0.2 * dice.vector());
    }
    SheetTree tree(sheet);
    ASSERT_TRUE(tree.refit({from, to, {}, separation}));
    const double t = free_part({sheet, tree, from, to, separation, least}, shape, motion);
    ASSERT_GE(t, 0);
    ASSERT_LE(t, 1);
    const auto gap = [&](double at) {
      double lowest = INFINITY;
      const Vec3 a = from[0] + at * (to[0] - from[0]), b = from[1] + at * (to[1] - from[1]),
                 c = from[2] + at * (to[2] - from[2]);
      for (int i = 0; i <= 12; ++i)
        for (int j = 0; i + j <= 12; ++j) {
          const Vec3 x = a + (i / 12.0) * (b - a) + (j / 12.0) * (c - a);
          lowest = std::min(lowest, distance(shape, motion.at(at), sphere(1e-9), Pose3(x)).gap);
        }
      return lowest;
    };
    const CheckedSurface checked{from, {{0, 1, 2}}, {}, false};
    if (gap(0) <= 2 * least || !find_intrusions(checked, shape, start, 1e-9).empty())
      continue;  // it begins inside
    for (int i = 0; i <= 40; ++i) ASSERT_GT(gap(t * i / 40), 0) << seed << " at " << t * i / 40;
    if (t < 1) ++hits;
  }
  EXPECT_GT(hits, 500);
}

TEST(SheetSweep, WhatSlidesAlongIsNotHeld) {
  Sheet sheet;
  const std::array<std::array<int, 3>, 1> triangles{{{0, 1, 2}}};
  sheet.add_triangles(triangles, 3, "one");
  const std::vector<Vec3> from{{0, 0, 0.002}, {0.1, 0, 0.002}, {0, 0.1, 0.002}};
  std::vector<Vec3> to = from;
  for (Vec3& x : to) x += Vec3(5, 3, 0);
  SheetTree tree(sheet);
  ASSERT_TRUE(tree.refit({from, to, {}, separation}));
  const Motion3 rests{Pose3()};
  EXPECT_EQ(free_part({sheet, tree, from, to, separation, least}, plane(), rests), 1);
  // … and what sinks in is stopped where `separation` is left.
  for (Vec3& x : to) x.z() -= 0.004;
  ASSERT_TRUE(tree.refit({from, to, {}, separation}));
  EXPECT_NEAR(free_part({sheet, tree, from, to, separation, least}, plane(), rests), 0.25, 1e-2);
}

}  // namespace
}  // namespace taut::collision
