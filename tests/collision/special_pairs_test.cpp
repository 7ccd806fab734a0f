// Shapes for which there is a quicker way: it gives what the general one does.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/contact_reference.hpp"
#include "support/dice.hpp"
#include "taut/collision/cast.hpp"
#include "taut/collision/contacts.hpp"

namespace taut::collision {
namespace {

using testing::Dice;

Shape as_hull(const Vec3& half) {
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i)
    corners.push_back(
        {i & 1 ? half.x() : -half.x(), i & 2 ? half.y() : -half.y(), i & 4 ? half.z() : -half.z()});
  return convex_hull(corners);
}

Vec3 sizes(Dice& dice) { return {dice.power(-2, 0), dice.power(-1, 0), dice.between(0.3, 1)}; }

/// Any turn, or one by nearly right angles.
Quat turn(Dice& dice) {
  if (dice.below(2)) return dice.rotation();
  const Vec3 tilt = dice.vector() * (dice.below(3) ? dice.power(-16, -2) : 0);
  const double half = std::sqrt(0.5);
  const Quat right = dice.below(2) ? Quat(half, 0, 0, half) : Quat(half, half, 0, 0);
  return (Quat(1, tilt.x(), tilt.y(), tilt.z()) * right).normalized();
}

/// Near each other, at a random gap, or deep in each other.
Pose3 place(Dice& dice, const Shape& a, const Shape& b) {
  Pose3 at(1.5 * dice.vector(), turn(dice));
  if (dice.below(3) == 0) return Pose3(0.3 * dice.vector(), at.rotation);
  const Distance d = distance(a, Pose3(), b, at);
  const double gap = dice.below(4) ? (dice.below(2) ? 1 : -1) * dice.power(-14, -1) : 0;
  at.position += (gap - d.gap) * d.normal;
  return at;
}

TEST(SpecialPairs, BoxesAreLikeHulls) {
  Dice dice(1);
  int overlapping = 0, with_points = 0;
  for (int i = 0; i < 3000; ++i) {
    const Vec3 first = sizes(dice), second = sizes(dice);
    const Shape a = box(first), b = box(second), hull_a = as_hull(first), hull_b = as_hull(second);
    const Pose3 at = place(dice, hull_a, hull_b);
    const Distance quick = distance(a, Pose3(), b, at);
    const Distance general = distance(hull_a, Pose3(), hull_b, at);
    const double size = std::max(first.norm(), second.norm());
    EXPECT_EQ(testing::wrong_distance(a, Pose3(), b, at, quick, 1e-9 * size), "") << i;
    ASSERT_NEAR(quick.gap, general.gap, 1e-10 * size + quick.error + general.error) << i;
    overlapping += quick.gap < 0;
    std::vector<ContactPoint> points;
    contacts(a, Pose3(), b, at, 0.01, points);
    EXPECT_EQ(points.empty(), general.gap > 0.01) << i;
    if (points.empty()) continue;
    ++with_points;
    double deepest = points[0].gap;
    for (const ContactPoint& point : points) deepest = std::min(deepest, point.gap);
    EXPECT_NEAR(deepest, general.gap, 1e-8) << i;
  }
  EXPECT_GT(overlapping, 1000);
  EXPECT_GT(with_points, 1500);
}

TEST(SpecialPairs, CapsuleInABox) {
  Dice dice(2);
  int deep = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vec3 half = sizes(dice);
    const double length = dice.power(-2, 0.3), radius = dice.power(-3, -1);
    const Shape pill = capsule(length, radius), block = box(half), hull = as_hull(half);
    const Pose3 at = place(dice, pill, hull);
    for (const bool block_first : {false, true}) {
      const Distance quick =
          block_first ? distance(block, at, pill, Pose3()) : distance(pill, Pose3(), block, at);
      const Distance general =
          block_first ? distance(hull, at, pill, Pose3()) : distance(pill, Pose3(), hull, at);
      const double size = std::max(half.norm(), length + radius);
      EXPECT_EQ(block_first ? testing::wrong_distance(block, at, pill, Pose3(), quick, 1e-9 * size)
                            : testing::wrong_distance(pill, Pose3(), block, at, quick, 1e-9 * size),
                "")
          << i;
      ASSERT_NEAR(quick.gap, general.gap, 1e-10 * size + quick.error + general.error) << i;
      deep += quick.gap < -radius;
    }
  }
  EXPECT_GT(deep, 500);
}

/// The vertices of a hull are searched from where the last one was found.
TEST(SpecialPairs, LargeHullsAreLikeTheirPoints) {
  Dice dice(3);
  std::vector<Vec3> points;
  for (int i = 0; i < 200; ++i) points.push_back(dice.vector());
  const Shape body = convex_hull(points);
  const Shape ball = sphere(0.1);
  for (int i = 0; i < 300; ++i) {
    const Pose3 at(3 * dice.vector().normalized(), dice.rotation());
    const Distance d = distance(body, at, ball, Pose3());
    double lowest = INFINITY;
    for (const Vec3& point : points) lowest = std::min(lowest, -d.normal.dot(at * point));
    EXPECT_NEAR(lowest - 0.1, d.gap, 1e-12) << i;
  }
}

TEST(SpecialPairs, CompoundsAreLikeTheirPieces) {
  Dice dice(4);
  std::vector<Piece> pieces;
  for (int i = 0; i < 40; ++i)
    pieces.push_back(
        {i % 3 ? box(0.3 * sizes(dice)) : sphere(0.1), Pose3(2 * dice.vector(), dice.rotation())});
  const Shape whole = compound(pieces);
  const Shape other = compound(std::vector<Piece>(pieces.begin(), pieces.begin() + 20));
  int touching = 0, hits = 0;
  for (int i = 0; i < 200; ++i) {
    const Pose3 at(dice.vector(), dice.rotation()), beside(3 * dice.vector(), dice.rotation());
    double least = INFINITY;
    std::size_t count = 0;
    std::vector<ContactPoint> points;
    for (const Piece& piece : pieces)
      for (int k = 0; k < 20; ++k) {
        const Piece& second = pieces[static_cast<std::size_t>(k)];
        least = std::min(
            least, distance(piece.shape, at * piece.pose, second.shape, beside * second.pose).gap);
        points.clear();
        contacts(piece.shape, at * piece.pose, second.shape, beside * second.pose, 0.02, points);
        count += points.size();
      }
    EXPECT_NEAR(distance(whole, at, other, beside).gap, least, 1e-12) << i;
    points.clear();
    contacts(whole, at, other, beside, 0.02, points);
    EXPECT_EQ(points.size(), count) << i;
    touching += count > 0;

    const Vec3 origin = 5 * dice.vector(), direction = 2 * dice.vector() - origin;
    RayHit hit, nearest;
    nearest.t = INFINITY;
    for (const Piece& piece : pieces)
      if (ray_cast(piece.shape, at * piece.pose, origin, direction, 20, hit) && hit.t < nearest.t)
        nearest = hit;
    const bool is_hit = ray_cast(whole, at, origin, direction, 20, hit);
    EXPECT_EQ(is_hit, std::isfinite(nearest.t)) << i;
    if (is_hit) EXPECT_EQ(hit.t, nearest.t) << i;
    hits += is_hit;
  }
  EXPECT_GT(touching, 50);
  EXPECT_GT(hits, 10);
}

// Wheels that lie or stand on a board, and just touch it or just do not: its normal, to the last
// digits.
TEST(SpecialPairs, WheelsOnABoard) {
  Dice dice(7);
  const Shape board = box({1, 0.6, 0.025}), wheel = cylinder(0.08, 0.02);
  const Quat lying(1, 0, 0, 0), upright(std::sqrt(0.5), std::sqrt(0.5), 0, 0);
  for (int i = 0; i < 400; ++i) {
    const bool stands = dice.below(3) > 0;
    const double gap = (dice.below(2) ? 1 : -1) * dice.power(-12, -6);
    const double yaw = dice.between(-3, 3), roll = dice.between(-3, 3);
    const Quat turned = Quat(std::cos(yaw), 0, 0, std::sin(yaw)) * (stands ? upright : lying) *
                        Quat(std::cos(roll), 0, 0, std::sin(roll));
    const double height = 0.025 + gap + (stands ? 0.08 : 0.02);
    const Pose3 at({dice.between(-0.8, 0.8), dice.between(-0.4, 0.4), height}, turned.normalized());
    const Pose3 frame(dice.vector(), dice.rotation());
    const Distance found = distance(board, frame, wheel, frame * at);
    EXPECT_NEAR(found.gap, gap, 2e-11) << i;
    EXPECT_NEAR((found.normal - frame.rotation.col(2)).norm(), 0, 1e-9) << i;
    EXPECT_LE(found.error, 1e-8) << i;
  }
}

}  // namespace
}  // namespace taut::collision
