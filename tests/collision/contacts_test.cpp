// Contact manifolds.
#include "taut/collision/contacts.hpp"

#include <numbers>
#include <random>
#include <set>

#include "support/contact_reference.hpp"
#include "support/random_shapes.hpp"
#include "taut/base/error.hpp"

namespace taut::collision {
namespace {

constexpr double pi = std::numbers::pi;

Pose3 turned(const Vec3& at, double angle, const Vec3& axis) {
  return {at, Quat(Eigen::AngleAxisd(angle, axis.normalized()))};
}

std::vector<ContactPoint> found(const Shape& a, const Pose3& at_a, const Shape& b,
                                const Pose3& at_b, double margin = 0.01) {
  std::vector<ContactPoint> list;
  contacts(a, at_a, b, at_b, margin, list);
  std::set<std::uint64_t> ids;
  for (const ContactPoint& c : list) {
    EXPECT_TRUE(ids.insert(c.feature).second) << "an id occurs twice";
    EXPECT_LT((c.on_b - c.on_a - c.gap * c.normal).norm(), 1e-12);
    EXPECT_NEAR(c.normal.norm(), 1, 1e-12);
    EXPECT_LE(c.gap, margin);
  }
  return list;
}

/// The extent of the points along x and y.
Vec3 spread(const std::vector<ContactPoint>& list) {
  Vec3 low = list[0].on_b, high = low;
  for (const ContactPoint& c : list) {
    low = low.cwiseMin(c.on_b);
    high = high.cwiseMax(c.on_b);
  }
  return high - low;
}

void expect_gaps(const std::vector<ContactPoint>& list, double gap) {
  for (const ContactPoint& c : list) EXPECT_NEAR(c.gap, gap, 1e-12);
}

TEST(Contacts, BoxOnBox) {
  for (const double gap : {-0.003, 0.0, 0.004}) {
    const auto list =
        found(box({2, 2, 1}), Pose3(), box({1, 0.5, 1}), Pose3(Vec3(0.2, 0, 2 + gap)));
    ASSERT_EQ(list.size(), 4u) << gap;
    expect_gaps(list, gap);
    EXPECT_NEAR(spread(list).x(), 2, 1e-12);
    EXPECT_NEAR(spread(list).y(), 1, 1e-12);
    for (const ContactPoint& c : list) EXPECT_LT((c.normal - Vec3::UnitZ()).norm(), 1e-12);
  }
  // Turned by 45°: the common region has eight corners.
  const auto star =
      found(box({1, 1, 1}), Pose3(), box({1, 1, 1}), turned({0, 0, 1.999}, pi / 4, Vec3::UnitZ()));
  EXPECT_EQ(star.size(), 8u);
  expect_gaps(star, -0.001);
  // Two edges across each other: one point; an edge on a face: two; a corner: one.
  const auto cross = found(box({1, 1, 1}), turned({0, 0, 0}, pi / 4, Vec3::UnitX()), box({1, 1, 1}),
                           turned({0, 0, 2 * std::sqrt(2.0) - 1e-3}, pi / 4, Vec3::UnitY()));
  ASSERT_EQ(cross.size(), 1u);
  EXPECT_NEAR(cross[0].gap, -1e-3, 1e-12);
  EXPECT_LT((cross[0].on_a - Vec3(0, 0, std::sqrt(2.0))).norm(), 1e-12);
  const auto edge = found(box({2, 2, 1}), Pose3(), box({1, 1, 1}),
                          turned({0, 0, 1 + std::sqrt(2.0) - 1e-3}, pi / 4, Vec3::UnitX()), 1e-4);
  ASSERT_EQ(edge.size(), 2u);
  expect_gaps(edge, -1e-3);
  EXPECT_NEAR(spread(edge).x(), 2, 1e-12);
}

TEST(Contacts, RoundSidesAndCaps) {
  const Shape floor = plane(), block = box({5, 5, 1});
  const Pose3 low(Vec3(0, 0, -1));
  for (const bool is_plane : {true, false}) {
    const Shape& below = is_plane ? floor : block;
    const Pose3 at = is_plane ? Pose3() : low;
    const auto cap = found(below, at, cylinder(0.5, 1), Pose3(Vec3(0, 0, 0.999)));
    EXPECT_GE(cap.size(), 3u);
    EXPECT_LE(cap.size(), 8u);
    expect_gaps(cap, -0.001);
    EXPECT_NEAR(spread(cap).x(), 1, 1e-9);
    EXPECT_NEAR(spread(cap).y(), 1, 1e-9);

    const Quat lying(Eigen::AngleAxisd(pi / 2, Vec3::UnitX()));
    const auto side = found(below, at, cylinder(0.5, 1), Pose3(Vec3(0, 0, 0.502), lying));
    ASSERT_EQ(side.size(), 2u);
    expect_gaps(side, 0.002);
    EXPECT_NEAR(spread(side).y(), 2, 1e-9);

    const auto pill = found(below, at, capsule(1, 0.5), Pose3(Vec3(0, 0, 0.499), lying));
    ASSERT_EQ(pill.size(), 2u);
    expect_gaps(pill, -0.001);
    EXPECT_NEAR(spread(pill).y(), 2, 1e-9);

    // A cone on its side: the line from the apex to the rim.
    const double slope = std::atan2(0.5, 2.0);
    const auto line = found(below, at, cone(0.5, 1),
                            turned({0, 0, std::cos(slope) * 0.25}, pi / 2 + slope, Vec3::UnitX()));
    ASSERT_EQ(line.size(), 2u);
    expect_gaps(line, 0);
    EXPECT_NEAR((line[0].on_b - line[1].on_b).norm(), std::hypot(0.5, 2.0), 1e-9);

    // Tilted, a cap touches with one point of its rim.
    const auto rim =
        found(below, at, cylinder(0.5, 1),
              turned({0, 0, std::cos(0.3) + 0.5 * std::sin(0.3)}, 0.3, {1, 0.2, 0}), 1e-4);
    ASSERT_EQ(rim.size(), 1u);
    EXPECT_NEAR(rim[0].gap, 0, 1e-10);

    const auto ball = found(below, at, sphere(0.5), Pose3(Vec3(0.1, 0.2, 0.5)));
    ASSERT_EQ(ball.size(), 1u);
    const auto egg = found(below, at, ellipsoid({1, 2, 0.5}), Pose3(Vec3(0.1, 0.2, 0.499)));
    ASSERT_EQ(egg.size(), 1u);
    EXPECT_NEAR(egg[0].gap, -0.001, 1e-10);
  }
}

TEST(Contacts, Capsules) {
  const Shape pill = capsule(1, 0.25);
  const auto beside = found(pill, Pose3(), pill, Pose3(Vec3(0.501, 0, 0.5)));
  ASSERT_EQ(beside.size(), 2u);
  expect_gaps(beside, 0.001);
  EXPECT_NEAR(std::abs(beside[0].on_a.z() - beside[1].on_a.z()), 1.5, 1e-12);
  const auto cross = found(pill, Pose3(), pill, turned({0.499, 0, 0}, pi / 2, Vec3::UnitX()));
  ASSERT_EQ(cross.size(), 1u);
  EXPECT_NEAR(cross[0].gap, -0.001, 1e-12);
  // Axes that meet, and the very same capsule: there is a way out, and it is finite.
  const auto through = found(pill, Pose3(), pill, turned({0, 0, 0.1}, pi / 2, Vec3::UnitX()));
  ASSERT_GE(through.size(), 1u);
  EXPECT_NEAR(through[0].gap, -0.5, 1e-12);
  EXPECT_NEAR(std::abs(through[0].normal.x()), 1, 1e-12);
  const auto same = found(pill, Pose3(), pill, Pose3());
  ASSERT_GE(same.size(), 1u);
  EXPECT_NEAR(same[0].gap, -0.5, 1e-12);
  const auto balls = found(sphere(1), Pose3(), sphere(1), Pose3());
  ASSERT_EQ(balls.size(), 1u);
  EXPECT_NEAR(balls[0].gap, -2, 1e-12);
}

// What rests and trembles keeps its ids.
TEST(Contacts, IdsPersist) {
  const Shape top = box({1, 0.5, 1}), table = box({2, 2, 1});
  std::set<std::uint64_t> before;
  for (int i = 0; i < 50; ++i) {
    const double shake = 1e-4 * std::sin(1.7 * i);
    const auto list =
        found(table, Pose3(), top,
              turned({0.2 + shake, shake, 1.999 + shake}, 0.3 + shake, Vec3(shake, 0, 1)));
    ASSERT_EQ(list.size(), 4u);
    std::set<std::uint64_t> ids;
    for (const ContactPoint& c : list) ids.insert(c.feature);
    if (i > 0) EXPECT_EQ(ids, before);
    before = ids;
  }
}

// The deepest contact is the gap of distance(), contacts of (b, a) are those of (a, b) seen from
// the other side, and every point is on its shape.
TEST(Contacts, OfRandomPairs) {
  int pairs = 0;
  for (unsigned seed = 0; seed < 1500; ++seed) {
    const testing::ShapePair p = testing::random_pair(seed);
    const Distance d = distance(p.a, p.at_a, p.b, p.at_b);
    const double margin = 1e-3 * p.size;
    std::vector<ContactPoint> list, back;
    contacts(p.a, p.at_a, p.b, p.at_b, margin, list);
    contacts(p.b, p.at_b, p.a, p.at_a, margin, back);
    if (d.gap > margin) {
      EXPECT_TRUE(list.empty());
      continue;
    }
    ++pairs;
    ASSERT_FALSE(list.empty()) << seed << " " << p.kind;
    EXPECT_LE(list.size(), std::size_t{most_contacts});
    double least = INFINITY, least_back = INFINITY;
    for (const ContactPoint& c : list) {
      least = std::min(least, c.gap);
      EXPECT_LT(testing::outside(p.a, p.at_a, c.on_a, c.normal), 3e-6 * p.size) << seed;
    }
    for (const ContactPoint& c : back) least_back = std::min(least_back, c.gap);
    EXPECT_NEAR(least, d.gap, 1e-8 * p.size) << seed << " " << p.kind;
    EXPECT_NEAR(least_back, d.gap, 1e-8 * p.size) << seed << " " << p.kind;
  }
  EXPECT_GT(pairs, 700);
}

TEST(Contacts, CompoundsAddUp) {
  const Shape table = compound({{box({1, 1, 0.1}), Pose3(Vec3(0, 0, 1))},
                                {box({0.1, 0.1, 0.5}), Pose3(Vec3(-0.8, 0, 0.5))},
                                {box({0.1, 0.1, 0.5}), Pose3(Vec3(0.8, 0, 0.5))}});
  const auto list = found(plane(), Pose3(), table, Pose3(Vec3(0, 0, -0.001)));
  EXPECT_EQ(list.size(), 8u);
  expect_gaps(list, -0.001);
  const auto swapped = found(table, Pose3(Vec3(0, 0, -0.001)), plane(), Pose3());
  ASSERT_EQ(swapped.size(), 8u);
  EXPECT_LT((swapped[0].normal + Vec3::UnitZ()).norm(), 1e-12);
}

TEST(Contacts, RefusePairsWithoutABody) {
  const Shape field = height_field(2, 2, 1, {0, 0, 0, 0});
  std::vector<ContactPoint> list;
  EXPECT_THROW(contacts(plane(), Pose3(), field, Pose3(), 0, list), Error);
  EXPECT_THROW(distance(plane(), Pose3(), plane(), Pose3()), Error);
}

}  // namespace
}  // namespace taut::collision
