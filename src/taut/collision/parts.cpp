#include <algorithm>
#include <cmath>
#include <limits>

#include "taut/collision/hull_internal.hpp"
#include "taut/collision/parts_internal.hpp"

namespace taut::collision::detail {

namespace {

/// The points where the plane meets two of the others, if that is below all of them and in the
/// body. Two parts of a cut have them in common.
std::vector<Vec3> new_corners(const Solid& solid, const BodyPart& part, const CutPlane& plane,
                              double thin) {
  std::vector<Vec3> corners;
  for (std::size_t i = 0; i < part.planes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const CutPlane &p = part.planes[i], &q = part.planes[j];
      const Vec3 along = p.normal.cross(q.normal);
      const double slope = along.dot(plane.normal);
      if (std::abs(slope) < 1e-6) continue;  // (nearly) parallel
      const Vec3 x = (plane.offset * along + p.offset * q.normal.cross(plane.normal) +
                      q.offset * plane.normal.cross(p.normal)) /
                     slope;
      const bool is_inside =
          std::all_of(part.planes.begin(), part.planes.end(),
                      [&](const CutPlane& other) { return other.height(x) <= thin; });
      if (is_inside && solid.contains(x)) corners.push_back(x);
    }
  return corners;
}

/// Calls add(side, points, normal) for what is left of each polygon below (0) and above (1).
template <class Add>
void cut_polygons(const BodyPart& part, const CutPlane& plane, double thin, Add&& add) {
  std::vector<double> height;
  std::vector<Vec3> kept;
  for (int f = 0; f < part.polygon_count(); ++f) {
    const auto i = static_cast<std::size_t>(f);
    const auto begin = static_cast<std::size_t>(part.start[i]);
    const std::span<const Vec3> polygon(&part.points[begin],
                                        static_cast<std::size_t>(part.start[i + 1]) - begin);
    height.clear();
    double lowest = 0, highest = 0;
    for (const Vec3& x : polygon) {
      double h = plane.height(x);
      if (std::abs(h) < thin) h = 0;
      height.push_back(h);
      lowest = std::min(lowest, h);
      highest = std::max(highest, h);
    }
    if (highest == 0 && lowest == 0) {
      // In the plane: it belongs to the side on which the body is.
      add(part.normals[i].dot(plane.normal) > 0 ? 0 : 1, polygon, part.normals[i]);
      continue;
    }
    for (int side = 0; side < 2; ++side) {
      const double sign = side == 0 ? 1 : -1;
      if ((side == 0 ? lowest : highest) == 0) continue;
      if ((side == 0 ? highest : lowest) == 0) {
        add(side, polygon, part.normals[i]);
        continue;
      }
      kept.clear();
      for (std::size_t k = 0; k < polygon.size(); ++k) {
        const std::size_t next = (k + 1) % polygon.size();
        const double here = sign * height[k], there = sign * height[next];
        if (here <= 0) kept.push_back(polygon[k]);
        if (here * there < 0) {
          // From the lower end, so that both sides get the same point.
          const bool up = height[k] < height[next];
          const Vec3 &low = polygon[up ? k : next], &high = polygon[up ? next : k];
          const double a = height[up ? k : next], b = height[up ? next : k];
          kept.push_back(low + a / (a - b) * (high - low));
        }
      }
      add(side, std::span<const Vec3>(kept), part.normals[i]);
    }
  }
}

void add_polygon(BodyPart& part, std::span<const Vec3> polygon, const Vec3& normal) {
  part.points.insert(part.points.end(), polygon.begin(), polygon.end());
  part.start.push_back(static_cast<int>(part.points.size()));
  part.normals.push_back(normal);
}

/// Each once, in an order that does not depend on that of the mesh.
void make_unique(std::vector<Vec3>& points) {
  std::sort(points.begin(), points.end(), [](const Vec3& a, const Vec3& b) {
    return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
  });
  points.erase(std::unique(points.begin(), points.end()), points.end());
}

}  // namespace

BodyPart whole(const Solid& solid) {
  BodyPart part;
  part.start.push_back(0);
  for (const std::array<int, 3>& t : solid.mesh().triangles) {
    const std::array<Vec3, 3> corner{solid.mesh().vertices[static_cast<std::size_t>(t[0])],
                                     solid.mesh().vertices[static_cast<std::size_t>(t[1])],
                                     solid.mesh().vertices[static_cast<std::size_t>(t[2])]};
    add_polygon(part, corner,
                (corner[1] - corner[0]).cross(corner[2] - corner[0]).stableNormalized());
  }
  return part;
}

BodyPart sketch(const BodyPart& part) {
  constexpr int most = 300;
  if (part.polygon_count() <= 2 * most) return part;
  const auto polygon = [&](int f) {
    const auto begin = static_cast<std::size_t>(part.start[static_cast<std::size_t>(f)]);
    const auto end = static_cast<std::size_t>(part.start[static_cast<std::size_t>(f) + 1]);
    return std::span<const Vec3>(&part.points[begin], end - begin);
  };
  std::vector<double> area;
  std::vector<int> order;
  for (int f = 0; f < part.polygon_count(); ++f) {
    const std::span<const Vec3> corners = polygon(f);
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = 2; k < corners.size(); ++k)
      sum += (corners[k - 1] - corners[0]).cross(corners[k] - corners[0]);
    area.push_back(sum.squaredNorm());
    order.push_back(f);
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return area[static_cast<std::size_t>(a)] > area[static_cast<std::size_t>(b)];
  });
  BodyPart few;
  few.start.push_back(0);
  few.planes = part.planes;
  few.corners = part.corners;
  const int step = (part.polygon_count() - most + most - 1) / most;
  for (int i = 0; i < part.polygon_count(); i += i < most ? 1 : step) {
    const int f = order[static_cast<std::size_t>(i)];
    add_polygon(few, polygon(f), part.normals[static_cast<std::size_t>(f)]);
  }
  return few;
}

Halves cut(const Solid& solid, const BodyPart& part, const CutPlane& plane, double thin) {
  Halves halves;
  BodyPart* const sides[] = {&halves.below, &halves.above};
  for (BodyPart* side : sides) {
    side->start.push_back(0);
    side->planes = part.planes;
    side->corners = new_corners(solid, part, plane, thin);
  }
  halves.below.planes.push_back(plane);
  halves.above.planes.push_back({-plane.normal, -plane.offset});
  for (const Vec3& corner : part.corners)
    sides[plane.height(corner) < 0 ? 0 : 1]->corners.push_back(corner);
  cut_polygons(part, plane, thin, [&](int side, std::span<const Vec3> polygon, const Vec3& n) {
    add_polygon(*sides[side], polygon, n);
  });
  return halves;
}

std::vector<Vec3> hull_points(const BodyPart& part) {
  std::vector<Vec3> points = part.points;
  points.insert(points.end(), part.corners.begin(), part.corners.end());
  make_unique(points);
  return points;
}

std::array<double, 2> volumes_after(const Solid& solid, const BodyPart& part, const CutPlane& plane,
                                    double thin) {
  std::vector<Vec3> sides[2];
  cut_polygons(part, plane, thin, [&](int side, std::span<const Vec3> polygon, const Vec3&) {
    sides[side].insert(sides[side].end(), polygon.begin(), polygon.end());
  });
  for (const Vec3& corner : part.corners) sides[plane.height(corner) < 0 ? 0 : 1].push_back(corner);
  for (const Vec3& corner : new_corners(solid, part, plane, thin))
    for (std::vector<Vec3>& side : sides) side.push_back(corner);
  std::array<double, 2> volumes{};
  for (std::size_t side = 0; side < 2; ++side) {
    make_unique(sides[side]);
    volumes[side] = hull_volume(sides[side]).value_or(std::numeric_limits<double>::infinity());
    if (!std::isfinite(volumes[side])) break;
  }
  return volumes;
}

}  // namespace taut::collision::detail
