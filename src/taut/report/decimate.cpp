#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "taut/base/error.hpp"
#include "taut/report/decimate_internal.hpp"

namespace taut::report::detail {
namespace {

constexpr std::size_t enough = 1500;   // points that are worth no thinning
constexpr std::size_t at_most = 3000;  // for curves and clouds
constexpr int columns = 375;           // four points in each make 1500

struct Point {
  double x, y;  // as given
  double u, v;  // as fractions of the axes
  bool is_gap_before = false;
};

std::vector<Point> shown_points(const Series& series, const Axis& x, const Axis& y) {
  std::vector<Point> points;
  bool is_gap = false;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (!x.can_show(series.x[i]) || !y.can_show(series.y[i])) {
      is_gap = true;
      continue;
    }
    points.push_back({series.x[i], series.y[i], x.fraction(series.x[i]), y.fraction(series.y[i]),
                      is_gap && !points.empty()});
    is_gap = false;
  }
  return points;
}

// Of every column of pixels the first, lowest, highest and last point: the line through them
// covers the same pixels as the line through all ("M4", Jugel et al. 2014). For x that never goes
// back. A gap inside one column is too narrow to be seen, and is closed.
std::vector<Point> thin_function(const std::vector<Point>& points) {
  const auto column = [](const Point& p) {
    return static_cast<int>(std::floor(std::clamp(p.u, -0.01, 1.01) * columns));
  };
  const auto lower = [](const Point& a, const Point& b) { return a.y < b.y; };
  std::vector<Point> kept;
  for (auto first = points.begin(); first != points.end();) {
    const auto end = std::find_if(first, points.end(),
                                  [&](const Point& p) { return column(p) != column(*first); });
    const auto [low, high] = std::minmax_element(first, end, lower);
    auto wanted = {first, std::min(low, high), std::max(low, high), end - 1};
    auto previous = points.end();
    for (const auto point : wanted) {
      if (point == previous) continue;
      kept.push_back(*point);
      if (point != first) kept.back().is_gap_before = false;
      previous = point;
    }
    first = end;
  }
  return kept;
}

// A curve that goes anywhere, within a tolerance: from the last kept point, as long as one straight
// line passes by all points since, and they do not turn back (the cone algorithm of Williams 1978).
std::vector<Point> thin_curve(const std::vector<Point>& points, double tolerance) {
  std::vector<Point> kept;
  std::size_t anchor = 0;                                 // the index of the last one kept
  double direction = 0, low = 0, high = 0, farthest = 0;  // the cone: angles around a direction
  const auto keep = [&](std::size_t i) {
    if (kept.empty() || i != anchor) kept.push_back(points[i]);
    anchor = i;
    farthest = 0;
  };
  const auto passes = [&](const Point& p) {
    const double du = p.u - points[anchor].u, dv = p.v - points[anchor].v;
    const double distance = std::hypot(du, dv), angle = std::atan2(dv, du);
    if (farthest == 0 && distance <= tolerance) return true;  // too near to give a direction
    const double half = std::asin(std::min(1.0, tolerance / std::max(distance, tolerance)));
    if (farthest == 0) {
      direction = angle, low = -half, high = half, farthest = distance;
      return true;
    }
    const double turn = std::remainder(angle - direction, 2 * std::numbers::pi);
    if (turn < low || turn > high || distance < farthest - tolerance) return false;
    low = std::max(low, turn - half), high = std::min(high, turn + half);
    farthest = std::max(farthest, distance);
    return true;
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == 0 || points[i].is_gap_before) {
      if (i > 0) keep(i - 1);
      keep(i);
    } else if (!passes(points[i])) {
      keep(i - 1);
      passes(points[i]);
    }
  }
  if (!points.empty()) keep(points.size() - 1);
  return kept;
}

// Of every small cell of the plot the first point, and the outermost points of all.
std::vector<Point> thin_cloud(const std::vector<Point>& points, int cells) {
  std::vector<bool> is_taken(static_cast<std::size_t>(cells + 3) * (cells + 3));
  const auto cell = [&](double fraction) {
    return static_cast<std::size_t>(1 + std::floor(std::clamp(fraction, -0.001, 1.001) * cells));
  };
  const auto [left, right] = std::minmax_element(
      points.begin(), points.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
  const auto [low, high] = std::minmax_element(
      points.begin(), points.end(), [](const Point& a, const Point& b) { return a.y < b.y; });
  std::vector<Point> kept;
  for (auto p = points.begin(); p != points.end(); ++p) {
    auto taken =
        is_taken.begin() + static_cast<std::ptrdiff_t>(cell(p->u) * (cells + 3) + cell(p->v));
    const bool is_outermost = p == left || p == right || p == low || p == high;
    if (!*taken || is_outermost) kept.push_back(*p);
    *taken = true;
  }
  return kept;
}

std::vector<Point> thinned(const std::vector<Point>& points, Series::Style style) {
  if (points.size() <= enough) return points;
  std::vector<Point> kept;
  if (style == Series::Style::points) {
    for (int cells = 600; cells >= 50; cells /= 2)
      if (kept = thin_cloud(points, cells); kept.size() <= at_most) break;
    return kept;
  }
  const bool is_function = std::is_sorted(points.begin(), points.end(),
                                          [](const Point& a, const Point& b) { return a.x < b.x; });
  if (is_function) return thin_function(points);
  for (double tolerance = 1.0 / 4096; tolerance < 0.01; tolerance *= 2)
    if (kept = thin_curve(points, tolerance); kept.size() <= at_most) break;
  return kept;
}

}  // namespace

bool Axis::can_show(double value) const { return std::isfinite(value) && (!is_log || value > 0); }

double Axis::fraction(double value) const {
  const auto place = [&](double z) { return is_log ? std::log10(z) : z; };
  // Halves, because the difference of two large numbers may be too large.
  return (place(value) / 2 - place(from) / 2) / (place(to) / 2 - place(from) / 2);
}

Axis axis_for(const std::vector<const std::vector<double>*>& values, bool is_log,
              const std::optional<std::pair<double, double>>& range) {
  Axis axis{0, 0, is_log};
  if (range && axis.can_show(range->first) && axis.can_show(range->second) &&
      range->first < range->second)
    return {range->first, range->second, is_log};
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const auto* list : values)
    for (const double value : *list)
      if (axis.can_show(value)) {
        low = std::min(low, value);
        high = std::max(high, value);
      }
  if (low < high) return {low, high, is_log};
  if (low > high) return {is_log ? 1.0 : 0.0, is_log ? 10.0 : 1.0, is_log};
  if (is_log) return {low / 10, low * 10, is_log};
  const double margin = low == 0 ? 1 : std::abs(low) / 2;
  return {low - margin, low + margin, is_log};
}

Points decimate(const Series& series, const Axis& x, const Axis& y) {
  TAUT_CHECK(series.x.size() == series.y.size());
  Points result;
  for (const Point& point : thinned(shown_points(series, x, y), series.style)) {
    if (point.is_gap_before && series.style != Series::Style::points) {
      result.x.push_back(point.x);
      result.y.push_back(std::numeric_limits<double>::quiet_NaN());
    }
    result.x.push_back(point.x);
    result.y.push_back(point.y);
  }
  return result;
}

}  // namespace taut::report::detail
