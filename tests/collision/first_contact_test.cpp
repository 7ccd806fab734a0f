// Continuous collision detection: never too late. Against answers of other kinds: meetings that are
// made of whole numbers, samples in long double, and the published queries.
#include "taut/collision/first_contact.hpp"

#include "support/ccd_queries.hpp"
#include "support/dice.hpp"
#include "taut/collision/nearest.hpp"

namespace taut::collision {
namespace {

using testing::Dice;
using Points = std::array<Vec3, 4>;

FirstContact contact(bool is_edges, const Points& from, const Points& to, double separation) {
  return is_edges ? edge_edge_contact(from, to, separation)
                  : point_triangle_contact(from, to, separation);
}

Points at(const Points& from, const Points& to, double t) {
  Points x;
  for (std::size_t k = 0; k < 4; ++k) x[k] = (1 - t) * from[k] + t * to[k];
  return x;
}

double distance_at(bool is_edges, const Points& from, const Points& to, double t) {
  const Points x = at(from, to, t);
  return (is_edges ? edge_edge(x) : point_triangle(x)).distance;
}

/// At t = 1/2 the features meet, exactly: all numbers are whole, or nearly so.
TEST(ContinuousCollision, MeetingsOfWholeNumbersAreFound) {
  Dice dice(3);
  const auto whole = [&](int most) {
    return Vec3(dice.below(2 * most + 1) - most, dice.below(2 * most + 1) - most,
                dice.below(2 * most + 1) - most);
  };
  for (int i = 0; i < 3000; ++i) {
    const bool is_edges = i % 2;
    const int most = i % 3 == 0 ? 1 : 1000;  // coplanar, parallel and without extent; or not
    Points x;
    for (Vec3& p : x) p = 8 * whole(most);
    if (is_edges) {  // x1 so that (x0 + x1)/2, say, is a point of the other edge
      const double s = dice.below(9) / 8.0;
      x[1] = 2 * (s * x[2] + (1 - s) * x[3]) - x[0];
    } else {
      const int a = dice.below(9), b = dice.below(9 - a);
      x[0] = (a * x[1] + b * x[2] + (8 - a - b) * x[3]) / 8;
    }
    Points from, to;
    const double scale = std::ldexp(1.0, dice.below(41) - 20);
    for (std::size_t k = 0; k < 4; ++k) {
      const Vec3 way = i % 5 == 0 ? Vec3(Vec3::Zero()) : whole(i % 7 == 0 ? 1 : 50);
      from[k] = scale * (x[k] - way);
      to[k] = scale * (x[k] + way);
    }
    for (const double separation : {0.0, 1e-3 * scale}) {
      const FirstContact found = contact(is_edges, from, to, separation);
      ASSERT_TRUE(found.hit) << "case " << i;
      ASSERT_LE(found.t, 0.5) << "case " << i;
      ASSERT_FALSE(stay_apart(from, to, is_edges, separation)) << "case " << i;
    }
  }
}

/// The distance is above the separation until the time that is given, and there are few false
/// alarms.
TEST(ContinuousCollision, SamplesAreApartUntilThen) {
  Dice dice(4);
  int hits = 0, misses = 0, early = 0;
  for (int i = 0; i < 800; ++i) {
    const bool is_edges = i % 2;
    Points from, to;
    const double scale = dice.power(-6, 6);
    const double fast = dice.power(-2, 1);
    for (std::size_t k = 0; k < 4; ++k) {
      from[k] = scale * (i % 5 ? 0.5 : 1.0) * dice.vector();
      to[k] = from[k] + scale * fast * dice.vector();
    }
    if (dice.below(2))  // towards each other, and past
      for (std::size_t k = 0; k < (is_edges ? 2u : 1u); ++k) to[k] += 2 * (from[2] - from[k]);
    if (i % 4 == 0)
      for (std::size_t k = 0; k < 4; ++k) from[k].z() = to[k].z() = 0;  // in a plane for ever
    const double separation = scale * (i % 3 ? dice.power(-6, -1) : 0);
    const FirstContact found = contact(is_edges, from, to, separation);
    double least = INFINITY;
    const int samples = 60;
    for (int sample = 0; sample <= samples; ++sample) {
      const double t = static_cast<double>(sample) / samples;
      const double d = distance_at(is_edges, from, to, t);
      least = std::min(least, d);
      if (t < found.t) {
        ASSERT_GT(d, separation * (1 - 1e-9) - 1e-13 * scale) << i;
      }
    }
    if (!found.hit) {
      ++misses;
      continue;
    }
    ++hits;
    // A hit is one: they are that near where it is said, up to the steps that were too short.
    const double d = distance_at(is_edges, from, to, found.t);
    if (found.t > 0 && d > separation + 1e-6 * scale * (1 + fast)) ++early;
  }
  EXPECT_GT(hits, 150);
  EXPECT_GT(misses, 150);
  EXPECT_LE(early, hits / 100);
}

TEST(ContinuousCollision, SpecialMotions) {
  const Points above{Vec3(0.25, 0.25, 1), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
  Points below = above;
  below[0].z() = -1;
  const FirstContact through = point_triangle_contact(above, below, 0.1);
  EXPECT_TRUE(through.hit);
  EXPECT_LE(through.t, 0.45);
  EXPECT_GT(through.t, 0.45 - 1e-9);
  // No motion: apart or not, and one step.
  EXPECT_FALSE(point_triangle_contact(above, above, 0.999999).hit);
  EXPECT_TRUE(point_triangle_contact(above, above, 1).hit);
  EXPECT_EQ(point_triangle_contact(above, above, 0.5).steps, 1);
  // Slides along at a distance of 1e-9 of its way.
  Points slides = above, slid = above;
  slides[0] = Vec3(-100, 0.25, 1e-7);
  slid[0] = Vec3(100, 0.25, 1e-7);
  EXPECT_FALSE(point_triangle_contact(slides, slid, 0).hit);
  EXPECT_FALSE(point_triangle_contact(slides, slid, 0.9e-7).hit);
  EXPECT_TRUE(point_triangle_contact(slides, slid, 1.1e-7).hit);
  // All move alike, far.
  Points gone = above;
  for (Vec3& p : gone) p += Vec3(1e3, -1e3, 1e3);
  EXPECT_FALSE(point_triangle_contact(above, gone, 0.9).hit);
  // Begins in touch and parts: a hit at once.
  Points touching = above;
  touching[0].z() = 0;
  EXPECT_TRUE(point_triangle_contact(touching, above, 0).hit);
  EXPECT_EQ(point_triangle_contact(touching, above, 0).t, 0);
}

TEST(ContinuousCollision, NoNumbersAreHits) {
  const Points x{Vec3(0, 0, 1), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
  for (const double bad : {static_cast<double>(NAN), static_cast<double>(INFINITY)})
    for (std::size_t k = 0; k < 4; ++k)
      for (const bool is_edges : {false, true})
        for (const bool at_end : {false, true}) {
          Points from = x, to = x;
          (at_end ? to : from)[k].x() = bad;
          EXPECT_TRUE(contact(is_edges, from, to, 0).hit);
        }
  EXPECT_TRUE(point_triangle_contact(x, x, NAN).hit);
}

TEST(ContinuousCollision, PublishedQueries) {
  const auto queries = testing::read_ccd_queries(TAUT_SOURCE_DIR "/../shared/data/ccd");
  if (queries.empty()) GTEST_SKIP() << "the published queries are not here";
  int missed = 0, false_alarms = 0, apart = 0;
  for (const testing::CcdQuery& query : queries) {
    const bool hit = contact(query.is_edges, query.from, query.to, 0).hit;
    missed += query.collides && !hit;
    false_alarms += !query.collides && hit;
    apart += !query.collides;
  }
  EXPECT_EQ(missed, 0);
  EXPECT_LT(false_alarms, apart / 100);
}

TEST(ContinuousCollision, WhatStaysApartDoes) {
  Dice dice(8);
  int apart = 0;
  for (int i = 0; i < 4000; ++i) {
    const bool is_edges = i % 2;
    Points from, to;
    for (std::size_t k = 0; k < 4; ++k) {
      from[k] = dice.vector();
      to[k] = from[k] + 0.5 * dice.vector();
    }
    const double separation = i % 3 == 0 ? 0 : dice.between(0, 0.3);
    if (!stay_apart(from, to, is_edges, separation)) continue;
    ++apart;
    for (int t = 0; t <= 20; ++t)
      ASSERT_GT(distance_at(is_edges, from, to, t / 20.0), separation) << "case " << i;
  }
  EXPECT_GT(apart, 400);
  const Vec3 none = Vec3::Constant(NAN);
  EXPECT_FALSE(stay_apart({none, none, none, none}, {none, none, none, none}, true, 0));
}

}  // namespace
}  // namespace taut::collision
