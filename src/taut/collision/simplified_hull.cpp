// A convex hull of fewer points.
#include <algorithm>
#include <tuple>

#include "taut/base/error.hpp"
#include "taut/collision/pairs_internal.hpp"
#include "taut/collision/parts_internal.hpp"

namespace taut::collision::detail {

namespace {

/// Far ones in a few directions: some body to start with.
std::vector<char> extreme_points(std::span<const Vec3> points) {
  std::vector<char> is_taken(points.size(), 0);
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z) {
        const Vec3 d(x, y, z);
        const auto far =
            std::max_element(points.begin(), points.end(),
                             [&](const Vec3& a, const Vec3& b) { return d.dot(a) < d.dot(b); });
        is_taken[static_cast<std::size_t>(far - points.begin())] = 1;
      }
  return is_taken;
}

double distance_from(const Shape& hull, const Vec3& point) {
  const Core core = core_of(hull);
  return convex_gap(core, Pose3(), Core{}, Pose3(point), INFINITY).gap;
}

/// Of the points not taken, and how far.
template <class Distance>
std::pair<std::size_t, double> farthest(const std::vector<Vec3>& points,
                                        const std::vector<char>& is_taken, Distance&& distance) {
  std::pair<std::size_t, double> best{0, 0};
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (is_taken[i]) continue;
    const double d = distance(points[i]);
    if (d > best.second) best = {i, d};
  }
  return best;
}

}  // namespace

Shape simplified_hull(std::span<const Vec3> all, double tolerance, double& left_out) {
  // Only those of the whole hull matter.
  const Shape whole_hull = convex_hull(all);
  const std::vector<Vec3>& points = whole_hull.hull->vertices;
  std::vector<char> is_taken = extreme_points(points);
  for (;;) {
    std::vector<Vec3> chosen;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (is_taken[i]) chosen.push_back(points[i]);
    if (chosen.size() == points.size()) break;
    Shape hull;
    try {
      hull = convex_hull(chosen);
    } catch (const Error&) {
      break;  // too flat to be worth it
    }
    // How far a point is above the faces is less than its distance, and quick to find.
    const auto [highest, above] = farthest(points, is_taken, [&](const Vec3& point) {
      double most = 0;
      for (int f = 0; f < hull.hull->face_count(); ++f) {
        const auto i = static_cast<std::size_t>(f);
        most = std::max(most, hull.hull->normals[i].dot(point) - hull.hull->offsets[i]);
      }
      return most;
    });
    if (above > tolerance) {
      is_taken[highest] = 1;
      continue;
    }
    std::size_t far = 0;
    std::tie(far, left_out) =
        farthest(points, is_taken, [&](const Vec3& point) { return distance_from(hull, point); });
    if (left_out <= tolerance) return hull;
    is_taken[far] = 1;
  }
  left_out = 0;
  return whole_hull;
}

}  // namespace taut::collision::detail
