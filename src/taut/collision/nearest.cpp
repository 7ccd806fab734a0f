#include "taut/collision/nearest.hpp"

#include <cmath>

namespace taut::collision {
namespace {

/// How near a segment from a to b comes to the origin, and where: a + s (b − a).
struct OnSegment {
  double s = 0;
  Vec3 at = Vec3::Zero();
};

/// Counted from the end that is nearer to the origin, where rounding errors are smallest.
OnSegment nearest_to_origin(const Vec3& a, const Vec3& b) {
  const bool from_b = b.squaredNorm() < a.squaredNorm();
  const Vec3& base = from_b ? b : a;
  const Vec3 along = from_b ? a - b : b - a;
  const double length = along.squaredNorm();
  double s = length > 0 ? -base.dot(along) / length : 0;
  if (!(s > 0)) s = 0;
  if (s > 1) s = 1;
  return {from_b ? 1 - s : s, base + s * along};
}

/// Some direction across d, of unit length.
Vec3 across(const Vec3& d) {
  const Vec3 size = d.cwiseAbs();
  Vec3 axis = Vec3::UnitZ();
  if (size.x() <= size.y() && size.x() <= size.z())
    axis = Vec3::UnitX();
  else if (size.y() <= size.z())
    axis = Vec3::UnitY();
  const Vec3 normal = d.cross(axis);
  const double length = normal.norm();
  return length > 0 ? Vec3(normal / length) : Vec3::UnitZ();
}

/// `apart`: from the second feature to the first. `instead`: the normal if they touch.
void set_gap(Nearest& nearest, const Vec3& apart, const Vec3& instead) {
  nearest.distance = apart.norm();
  if (nearest.distance > 0) {
    nearest.normal = apart / nearest.distance;
    return;
  }
  const double length = instead.norm();
  nearest.normal = length > 0 ? Vec3(instead / length) : Vec3::UnitZ();
}

/// A gap along a common perpendicular n is known better from n than from points that were found
/// with rounding errors along the surface. Where n itself is uncertain, as of triangles that hardly
/// have an area, the two differ, and the points count.
void set_gap_along(Nearest& nearest, const Vec3& apart, const Vec3& n, double height, double size) {
  constexpr double rounding = 1e-14;
  const double length = n.norm();
  if (std::abs(apart.norm() - std::abs(height)) > 1e-9 * std::abs(height) + rounding * size) {
    set_gap(nearest, apart, n);
    return;
  }
  nearest.distance = std::abs(height);
  nearest.normal = height < 0 ? Vec3(-n / length) : Vec3(n / length);
}

}  // namespace

Nearest point_edge(const std::array<Vec3, 3>& x) {
  const Vec3 a = x[1] - x[0], b = x[2] - x[0];
  const OnSegment on = nearest_to_origin(a, b);
  Nearest nearest;
  nearest.weight = {1, on.s - 1, -on.s, 0};
  set_gap(nearest, -on.at, across(b - a));
  return nearest;
}

Nearest point_triangle(const std::array<Vec3, 4>& x) {
  // Seen from the point.
  const std::array<Vec3, 3> corner{x[1] - x[0], x[2] - x[0], x[3] - x[0]};
  const Vec3 n = (corner[1] - corner[0]).cross(corner[2] - corner[0]);
  const double area = n.squaredNorm();
  Nearest nearest;
  const double size =
      std::max({corner[0].squaredNorm(), corner[1].squaredNorm(), corner[2].squaredNorm()});
  double least = INFINITY;
  if (area > 0) {
    // Barycentric coordinates of where n through the point meets the plane.
    std::array<double, 3> w;
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      w[k] = n.dot(corner[(k + 1) % 3].cross(corner[(k + 2) % 3]));
      sum += w[k];
    }
    if (w[0] > 0 && w[1] > 0 && w[2] > 0) {
      for (double& weight : w) weight /= sum;
      const Vec3 apart = -(w[0] * corner[0] + w[1] * corner[1] + w[2] * corner[2]);
      nearest.weight = {1, -w[0], -w[1], -w[2]};
      std::size_t closest = 0;
      for (std::size_t k = 1; k < 3; ++k)
        if (corner[k].squaredNorm() < corner[closest].squaredNorm()) closest = k;
      set_gap_along(nearest, apart, n, -n.dot(corner[closest]) / std::sqrt(area), std::sqrt(size));
      // A plump triangle: no edge can be nearer.
      if (area > 1e-8 * size * size) return nearest;
      least = nearest.distance;
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t next = (k + 1) % 3;
    const OnSegment on = nearest_to_origin(corner[k], corner[next]);
    const double distance = on.at.norm();
    if (!(distance < least) && !std::isnan(distance)) continue;
    least = distance;
    nearest.weight = {1, 0, 0, 0};
    nearest.weight[1 + k] = on.s - 1;
    nearest.weight[1 + next] = -on.s;
    set_gap(nearest, -on.at, area > 0 ? n : across(corner[next] - corner[k]));
    if (std::isnan(distance)) return nearest;
  }
  return nearest;
}

namespace {

/// The nearest points of an end of either edge and the other edge.
Nearest nearest_at_ends(const std::array<Vec3, 4>& x, const Vec3& touching) {
  Nearest nearest;
  double least = INFINITY;
  for (std::size_t k = 0; k < 4; ++k) {
    const std::size_t first = k < 2 ? 2 : 0;  // of the other edge
    const OnSegment on = nearest_to_origin(x[first] - x[k], x[first + 1] - x[k]);
    const double distance = on.at.norm();
    if (!(distance < least) && !std::isnan(distance)) continue;
    least = distance;
    const double sign = k < 2 ? 1 : -1;
    nearest.weight = {};
    nearest.weight[k] = sign;
    nearest.weight[first] = sign * (on.s - 1);
    nearest.weight[first + 1] = -sign * on.s;
    set_gap(nearest, -sign * on.at, touching);
    if (std::isnan(distance)) return nearest;
  }
  return nearest;
}

}  // namespace

Nearest edge_edge(const std::array<Vec3, 4>& x) {
  const Vec3 a = x[1] - x[0], b = x[3] - x[2], r = x[2] - x[0];
  const Vec3 n = a.cross(b);
  const double crossing = n.squaredNorm();
  const double size = a.squaredNorm() * b.squaredNorm();
  const auto at_ends = [&] {
    return nearest_at_ends(x, crossing > 0 ? n : across(a.squaredNorm() > 0 ? a : b));
  };
  if (!(crossing > 0)) return at_ends();
  // Inside both: x0 + s a and x2 + t b, from the common perpendicular. What rounding errors leave
  // of parallel edges is put right by projecting twice, which never makes it worse.
  const double s0 = r.cross(b).dot(n) / crossing;
  if (!(s0 > 0 && s0 < 1)) return at_ends();
  const OnSegment on_b = nearest_to_origin(r - s0 * a, x[3] - x[0] - s0 * a);
  const double t = on_b.s;
  const Vec3 from = r + t * b;  // x0 to the point of b
  const OnSegment on_a = nearest_to_origin(-from, a - from);
  const double s = on_a.s;
  if (!(s > 0 && s < 1 && t > 0 && t < 1)) return at_ends();
  // The ends of edges that cross at an angle are farther; of parallel ones they will do.
  constexpr double at_an_angle = 1e-8;
  if (!(crossing > at_an_angle * size)) {
    const Nearest ends = at_ends();
    if (!(on_a.at.norm() < ends.distance * (1 - 1e-12))) return ends;
  }
  Nearest nearest;
  nearest.weight = {1 - s, s, t - 1, -t};
  set_gap_along(nearest, on_a.at, n, -n.dot(r) / std::sqrt(crossing),
                std::sqrt(std::max({r.squaredNorm(), a.squaredNorm(), b.squaredNorm()})));
  return nearest;
}

}  // namespace taut::collision
