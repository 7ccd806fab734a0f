#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "taut/report/decimate_internal.hpp"

namespace taut::report::detail {
namespace {

constexpr std::size_t many = 100000;

Points thin(const Series& series, bool log_x = false, bool log_y = false) {
  return decimate(series, axis_for({&series.x}, log_x, {}), axis_for({&series.y}, log_y, {}));
}

double smallest(const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); }
double largest(const std::vector<double>& v) { return *std::max_element(v.begin(), v.end()); }

void expect_same_extremes(const Points& points, const Series& series) {
  EXPECT_EQ(smallest(points.x), smallest(series.x));
  EXPECT_EQ(largest(points.x), largest(series.x));
  EXPECT_EQ(smallest(points.y), smallest(series.y));
  EXPECT_EQ(largest(points.y), largest(series.y));
}

// The distance of a point from the polygon through `points`.
double distance(const Points& points, double x, double y) {
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < points.x.size(); ++i) {
    const double dx = points.x[i] - points.x[i - 1], dy = points.y[i] - points.y[i - 1];
    const double px = x - points.x[i - 1], py = y - points.y[i - 1];
    const double t = std::clamp((px * dx + py * dy) / std::max(dx * dx + dy * dy, 1e-300), 0., 1.);
    best = std::min(best, std::hypot(px - t * dx, py - t * dy));
  }
  return best;
}

TEST(Decimate, ShortSeriesStayAsTheyAre) {
  Series series;
  for (int i = 0; i < 1460; ++i) series.x.push_back(i), series.y.push_back(std::sin(i));
  const Points points = thin(series);
  EXPECT_EQ(points.x, series.x);
  EXPECT_EQ(points.y, series.y);
}

TEST(Decimate, OneSpikeAmongManySurvives) {
  Series series;
  for (std::size_t i = 0; i < many; ++i)
    series.x.push_back(1e-3 * static_cast<double>(i)),
        series.y.push_back(std::sin(series.x.back()));
  series.y[54321] = 7;
  series.y[12345] = -7;
  const Points points = thin(series);
  EXPECT_LE(points.x.size(), 1600u);
  expect_same_extremes(points, series);
  EXPECT_TRUE(std::is_sorted(points.x.begin(), points.x.end()));
  EXPECT_EQ(points.x.front(), series.x.front());
  EXPECT_EQ(points.y.back(), series.y.back());
}

TEST(Decimate, ALogarithmicAxisIsDividedByDecades) {
  Series series;
  for (std::size_t i = 1; i <= many; ++i)
    series.x.push_back(static_cast<double>(i)), series.y.push_back(1.0 / static_cast<double>(i));
  const Points points = thin(series, true, true);
  EXPECT_LE(points.x.size(), 1600u);
  const auto below_100 =
      std::count_if(points.x.begin(), points.x.end(), [](double x) { return x < 100; });
  EXPECT_GT(below_100, 90);  // two of five decades: nearly all of these few
}

TEST(Decimate, GapsInLongSeriesStay) {
  Series series;
  for (std::size_t i = 0; i < many; ++i) {
    const bool is_gap = i > 40000 && i < 50000;
    series.x.push_back(static_cast<double>(i));
    series.y.push_back(is_gap ? std::numeric_limits<double>::quiet_NaN() : 1.0);
  }
  const Points points = thin(series);
  EXPECT_EQ(std::count_if(points.y.begin(), points.y.end(), [](double y) { return std::isnan(y); }),
            1);
  for (std::size_t i = 0; i + 1 < points.x.size(); ++i)
    if (!std::isnan(points.y[i]) && !std::isnan(points.y[i + 1])) {
      EXPECT_LT(points.x[i + 1] - points.x[i], 1000) << "no line across the gap";
    }
}

TEST(Decimate, ACurveThatGoesRoundKeepsItsShape) {
  Series series;
  for (std::size_t i = 0; i < many; ++i) {
    const double angle = 4e-4 * static_cast<double>(i);  // six turns and a bit, inwards
    series.x.push_back(std::cos(angle) * std::exp(-angle / 20));
    series.y.push_back(std::sin(angle) * std::exp(-angle / 20));
  }
  const Points points = thin(series);
  EXPECT_LE(points.x.size(), 3000u);
  for (std::size_t i = 0; i < many; i += 997)
    EXPECT_LT(distance(points, series.x[i], series.y[i]), 2e-3);
}

TEST(Decimate, ACurveThatTurnsBackReachesItsEnds) {
  Series series;  // along one line, to and fro
  for (std::size_t i = 0; i < many; ++i) {
    series.x.push_back(std::cos(1e-2 * static_cast<double>(i)));
    series.y.push_back(2 * series.x.back());
  }
  const Points points = thin(series);
  EXPECT_LE(points.x.size(), 3000u);
  EXPECT_NEAR(smallest(points.x), -1, 2e-3);
  EXPECT_NEAR(largest(points.x), 1, 2e-3);
}

TEST(Decimate, ACloudKeepsItsOutermostPoints) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  Series series;
  series.style = Series::Style::points;
  for (std::size_t i = 0; i < many; ++i)
    series.x.push_back(normal(random)), series.y.push_back(normal(random));
  const Points points = thin(series);
  EXPECT_LE(points.x.size(), 4000u);
  EXPECT_GE(points.x.size(), 500u);
  expect_same_extremes(points, series);
}

TEST(Decimate, HugeValuesAreNoTrouble) {
  Series series;
  for (std::size_t i = 0; i < many; ++i)
    series.x.push_back(static_cast<double>(i)), series.y.push_back(i % 2 ? 1.7e308 : -1.7e308);
  const Points points = thin(series);
  EXPECT_LE(points.x.size(), 1600u);
  expect_same_extremes(points, series);
  const Points narrow = decimate(series, {10, 20, false}, {-1, 1, false});
  EXPECT_LE(narrow.x.size(), 1600u);
}

}  // namespace
}  // namespace taut::report::detail
