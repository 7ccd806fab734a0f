#include "taut/model/motion.hpp"
#include "taut/model/spline.hpp"

#include <gtest/gtest.h>

#include "taut/base/error.hpp"
#include "taut/model/curve.hpp"

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
  const double L = curve.spline().length(), e = 1e-5;
  for (double s : {0.0, L / 3, curve.spline().knots()[1], L}) {
    const Vec3 second = (curve.at(s + e) - 2 * curve.at(s) + curve.at(s - e)) / (e * e);
    const auto piece = curve.spline().piece(s);
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
    for (double other = -2; other < curve.spline().length() + 2; other += 0.01)
      EXPECT_LE(best, (curve.at(other) - x).norm() + 1e-12);
  }
}

TEST(Curve, RefusesTooFewOrEqualPoints) {
  EXPECT_THROW(Curve({{0, 0, 0}}, false), Error);
  EXPECT_THROW(Curve({{0, 0, 0}, {1, 0, 0}}, true), Error);
  EXPECT_THROW(Curve({{0, 0, 0}, {1, 0, 0}, {1, 0, 0}}, false), Error);
  EXPECT_THROW(Curve({{0, 0, 0}, {1, 0, 0}, {0, 0, 0}}, true), Error);
}

}  // namespace
}  // namespace taut
