#include "taut/collision/core_internal.hpp"

namespace taut::collision::detail {

namespace {

constexpr int search_all_below = 128;  ///< vertices: with fewer, looking at all of them is quicker

int farthest_of_all(const Hull& hull, const Vec3& d) {
  // Four running maxima, which do not wait for each other.
  const int count = static_cast<int>(hull.x.size());
  const double *x = hull.x.data(), *y = hull.y.data(), *z = hull.z.data();
  double best[4];
  int at[4] = {0, 0, 0, 0};
  for (double& value : best) value = d.x() * x[0] + d.y() * y[0] + d.z() * z[0];
  int i = 0;
  for (; i + 4 <= count; i += 4)
    for (int k = 0; k < 4; ++k) {
      const double value = d.x() * x[i + k] + d.y() * y[i + k] + d.z() * z[i + k];
      if (value > best[k]) {
        best[k] = value;
        at[k] = i + k;
      }
    }
  for (; i < count; ++i) {
    const double value = d.x() * x[i] + d.y() * y[i] + d.z() * z[i];
    if (value > best[0]) {
      best[0] = value;
      at[0] = i;
    }
  }
  int k = 0;
  for (int j = 1; j < 4; ++j)
    if (best[j] > best[k]) k = j;
  return at[k];
}

}  // namespace

int farthest_vertex(const Hull& hull, const Vec3& d) {
  if (hull.vertices.size() < search_all_below) return farthest_of_all(hull, d);
  // Uphill along the edges: a vertex of a convex body without a higher neighbour is the highest.
  int at = 0;
  double height = d.dot(hull.vertices[0]);
  for (;;) {
    int best = at;
    const auto a = static_cast<std::size_t>(at);
    for (int k = hull.neighbour_start[a]; k < hull.neighbour_start[a + 1]; ++k) {
      const int other = hull.neighbours[static_cast<std::size_t>(k)];
      const double value = d.dot(hull.vertices[static_cast<std::size_t>(other)]);
      if (value > height) {
        height = value;
        best = other;
      }
    }
    if (best == at) return at;
    at = best;
  }
}

double reach(const Core& core) {
  double most = 0;
  switch (core.type) {
    case CoreType::cylinder:
    case CoreType::cone:
      most = std::hypot(core.size.x(), core.size.z());
      break;
    case CoreType::ellipsoid:
      most = core.size.maxCoeff();
      break;
    case CoreType::hull:
      for (const Vec3& v : core.hull->vertices) most = std::max(most, v.stableNorm());
      break;
    case CoreType::triangle:
      for (const Vec3& v : core.corner) most = std::max(most, v.stableNorm());
      break;
    default:
      most = core.size.stableNorm();
  }
  return most + core.radius;
}

Bounds bounds(const Core& core, const Pose3& pose) {
  const Mat3& R = pose.rotation;
  Vec3 half;
  switch (core.type) {
    case CoreType::hull:
    case CoreType::triangle: {
      const std::span<const Vec3> points = core.type == CoreType::hull
                                               ? std::span<const Vec3>(core.hull->vertices)
                                               : std::span<const Vec3>(core.corner);
      Bounds box{pose * points[0], pose * points[0]};
      for (const Vec3& point : points.subspan(1)) {
        const Vec3 p = pose * point;
        box = {box.low.cwiseMin(p), box.high.cwiseMax(p)};
      }
      return box.grown(core.radius);
    }
    case CoreType::cone:
    case CoreType::cylinder:
    case CoreType::ellipsoid: {
      Bounds box;
      for (int i = 0; i < 3; ++i) {
        const Vec3 axis = R.row(i);
        box.high[i] = axis.dot(support(core, axis));
        box.low[i] = axis.dot(support(core, -axis));
      }
      return Bounds{box.low + pose.position, box.high + pose.position}.grown(core.radius);
    }
    default:
      half = R.cwiseAbs() * core.size;
  }
  return Bounds{pose.position - half, pose.position + half}.grown(core.radius);
}

}  // namespace taut::collision::detail
