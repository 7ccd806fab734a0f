#include "taut/model/motion.hpp"

#include <gtest/gtest.h>

#include "taut/base/error.hpp"
#include "taut/model/curve.hpp"
#include "taut/model/spline.hpp"

namespace taut {
namespace {

void expect_consistent(const Motion<Vec3>& motion, double t) {
  const double e = 1e-5;
  const auto now = motion.at(t), ahead = motion.at(t + e), behind = motion.at(t - e);
  EXPECT_LT(((ahead.value - behind.value) / (2 * e) - now.rate).norm(), 1e-7) << t;
  EXPECT_LT(((ahead.rate - behind.rate) / (2 * e) - now.acceleration).norm(), 1e-4) << t;
}

TEST(Motion, DerivativesOfEveryKind) {
  const Motion<Vec3> line(LineMotion<Vec3>{{1, 2, 3}, {0.1, 0, -2}});
  const Motion<Vec3> sine(SineMotion<Vec3>{{1, 0, 0}, {0, 2, 1}, 1.5, 0.2});
  const Motion<Vec3> keys(
      KeyframeMotion<Vec3>{{0, 1, 1.5, 4}, {{0, 0, 0}, {1, 2, 0}, {1, 0, 1}, {3, 3, 3}}});
  for (double t : {-0.5, 0.3, 0.9999, 1.2, 2.7, 5.0}) {
    expect_consistent(Vec3(1, 2, 3), t);
    expect_consistent(line, t);
    expect_consistent(sine, t);
    expect_consistent(keys, t);
  }
}

TEST(Motion, KeyframesAreMetAndRestOutside) {
  const Motion<double> keys(KeyframeMotion<double>{{0, 1, 3}, {2, 5, 4}});
  EXPECT_DOUBLE_EQ(keys.value(0), 2);
  EXPECT_NEAR(keys.value(1), 5, 1e-14);
  EXPECT_NEAR(keys.value(3), 4, 1e-14);
  EXPECT_NEAR(keys.value(10), 4, 1e-14);
  EXPECT_NEAR(keys.value(-1), 2, 1e-14);
  EXPECT_NEAR(keys.at(0).rate, 0, 1e-14);
  EXPECT_NEAR(keys.at(3.5).rate, 0, 1e-14);
}

// Value, velocity and acceleration are continuous everywhere, also at the first and the last key.
TEST(Motion, KeyframesAreTwiceDifferentiableAcrossTheirEnds) {
  for (const KeyframeMotion<double>& keys :
       {KeyframeMotion<double>{{0, 1, 3}, {2, 5, 4}}, KeyframeMotion<double>{{-1, 2}, {0, 7}},
        KeyframeMotion<double>{{0, 1, 1.5, 4}, {0, 2, -1, 3}}}) {
    const Motion<double> motion(keys);
    for (std::size_t i = 0; i < keys.times.size(); ++i)
      EXPECT_NEAR(motion.value(keys.times[i]), keys.values[i], 1e-13);
    for (const double t : {keys.times.front(), keys.times.back()}) {
      EXPECT_NEAR(motion.at(t).rate, 0, 1e-13);
      EXPECT_NEAR(motion.at(t).acceleration, 0, 1e-12);
      const double e = 1e-4;
      const auto x = [&](double time) { return motion.value(time); };
      EXPECT_NEAR((x(t + e) - x(t - e)) / (2 * e), 0, 1e-6);
      // From either side: a jump of the acceleration would show in one of them.
      EXPECT_NEAR((x(t + 2 * e) - 2 * x(t + e) + x(t)) / (e * e), 0, 0.05);
      EXPECT_NEAR((x(t - 2 * e) - 2 * x(t - e) + x(t)) / (e * e), 0, 0.05);
    }
    for (double t = keys.times.front() - 0.5; t < keys.times.back() + 0.5; t += 0.1) {
      const double e = 1e-5;
      EXPECT_NEAR((motion.at(t + e).rate - motion.at(t - e).rate) / (2 * e),
                  motion.at(t).acceleration, 1e-3)
          << t;
    }
  }
}

TEST(Motion, AnyFunctionOfTime) {
  const Motion<double> square = [](double t) { return MotionSample<double>{t * t, 2 * t, 2}; };
  EXPECT_TRUE(square.is_given());
  EXPECT_FALSE(square.is_constant());
  EXPECT_EQ(square.value(3), 9);
  EXPECT_EQ(square.at(3).rate, 6);
  const Motion<Vec3> helix = [](double t) {
    const double c = std::cos(t), s = std::sin(t);
    return MotionSample<Vec3>{{c, s, t}, {-s, c, 1}, {-c, -s, 0}};
  };
  for (double t : {-1.0, 0.0, 2.5}) expect_consistent(helix, t);
}

TEST(Motion, NotGivenIsNotANumber) {
  EXPECT_FALSE(Motion<double>().is_given());
  EXPECT_TRUE(Motion<double>(2.0).is_given());
  EXPECT_TRUE(Motion<Vec3>(SineMotion<Vec3>{}).is_given());
}

TEST(Spline, ClosedIsSmoothAcrossItsSeam) {
  const Curve curve({{1, 0, 0}, {0, 1, 0.2}, {-1, 0, 0}, {0, -1, 0.3}}, true);
  const double L = curve.last(), e = 1e-5;
  for (double s : {0.0, L / 3, (Vec3(1, 0, 0) - Vec3(0, 1, 0.2)).norm(), L}) {
    const Vec3 second = (curve.at(s + e) - 2 * curve.at(s) + curve.at(s - e)) / (e * e);
    const Curve::Piece piece = curve.piece(s);
    const double u = s - piece.start;
    EXPECT_LT((second - (2 * piece.c + 6 * u * piece.d)).norm(), 1e-3) << s;
  }
  EXPECT_LT((curve.at(0) - curve.at(L)).norm(), 1e-14);
  EXPECT_LT((curve.at(-0.3) - curve.at(L - 0.3)).norm(), 1e-13);
}

TEST(Curve, NearestPointIsNearest) {
  const Curve curve({{0, 0, 0}, {1, 1, 0}, {2, 0, 1}, {3, 1, 1}}, false);
  for (const Vec3& x : {Vec3(0.5, 1, 0), Vec3(2.2, 0, 0.5), Vec3(-1, -1, 0), Vec3(4, 2, 1)}) {
    const double s = curve.nearest(x);
    const double best = (curve.at(s) - x).norm();
    for (double other = -2; other < curve.last() + 2; other += 0.01)
      EXPECT_LE(best, (curve.at(other) - x).norm() + 1e-12);
  }
}

std::array<Vec3, 4> helix(double s) {
  const double c = std::cos(s), d = std::sin(s);
  return {Vec3(c, d, s), Vec3(-d, c, 1), Vec3(-c, -d, 0), Vec3(d, -c, 0)};
}

TEST(Curve, FormulaAndWhatIsBeyondItsEnds) {
  for (const CurveEnds ends : {CurveEnds::finite, CurveEnds::extended}) {
    const Curve curve(helix, 0, 4, false, ends);
    EXPECT_LT((curve.at(1.3) - helix(1.3)[0]).norm(), 1e-15);
    EXPECT_NEAR(curve.nearest(helix(2.5)[0]), 2.5, 1e-14);
    const bool finite = ends == CurveEnds::finite;
    EXPECT_FALSE(curve.has_ended(0));
    EXPECT_FALSE(curve.has_ended(4));
    EXPECT_EQ(curve.has_ended(4.01), finite);
    EXPECT_EQ(curve.has_ended(-0.01), finite);
    // It goes on smoothly in any case: as the formula, or as the cubic of its end.
    EXPECT_LT((curve.at(4.01) - helix(4.01)[0]).norm(), finite ? 1e-9 : 1e-15);
  }
  const auto circle = [](double s) {
    auto c = helix(s);
    for (Vec3& x : c) x[2] = 0;
    return c;
  };
  const Curve closed(circle, 0, 2 * M_PI, true);
  EXPECT_FALSE(closed.has_ended(100));
  EXPECT_LT((closed.at(100) - circle(100)[0]).norm(), 1e-13);
  EXPECT_THROW(Curve(circle, 0, 6, true), Error);
  EXPECT_THROW(Curve(helix, 0, 2 * M_PI, true), Error);
  EXPECT_THROW(Curve(helix, 1, 1, false), Error);
}

TEST(Curve, RefusesTooFewOrEqualPoints) {
  EXPECT_THROW(Curve({{0, 0, 0}}, false), Error);
  EXPECT_THROW(Curve({{0, 0, 0}, {1, 0, 0}}, true), Error);
  EXPECT_THROW(Curve({{0, 0, 0}, {1, 0, 0}, {1, 0, 0}}, false), Error);
  EXPECT_THROW(Curve({{0, 0, 0}, {1, 0, 0}, {0, 0, 0}}, true), Error);
}

}  // namespace
}  // namespace taut
