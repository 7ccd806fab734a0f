#include "taut/collision/core_internal.hpp"

namespace taut::collision::detail {

namespace {

constexpr int search_all_below = 128;  ///< vertices: with fewer, looking at all of them is quicker
constexpr int climb_from = 12;         ///< … and with this many, from a vertex that is near

int farthest_of_all(const Hull& hull, const Vec3& d) {
  // Two passes without branches that depend on the numbers: they run in parallel.
  const int count = static_cast<int>(hull.x.size());
  const double *x = hull.x.data(), *y = hull.y.data(), *z = hull.z.data();
  const double dx = d.x(), dy = d.y(), dz = d.z();
  double along[search_all_below];
  for (int i = 0; i < count; ++i) along[i] = dx * x[i] + dy * y[i] + dz * z[i];
  double most[4];
  for (double& value : most) value = dx * x[0] + dy * y[0] + dz * z[0];
  for (int i = 0; i + 4 <= count; i += 4)
    for (int k = 0; k < 4; ++k) most[k] = along[i + k] > most[k] ? along[i + k] : most[k];
  for (int i = count & ~3; i < count; ++i) most[0] = along[i] > most[0] ? along[i] : most[0];
  const double best = std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
  int at = 0;
  while (at + 1 < count && along[at] != best) ++at;
  return at;
}

}  // namespace

int farthest_vertex(const Hull& hull, const Vec3& d, int near) {
  if (static_cast<int>(hull.x.size()) < (near < 0 ? search_all_below : climb_from))
    return farthest_of_all(hull, d);
  // Uphill along the edges: a vertex of a convex body without a higher neighbour is the highest.
  int at = std::max(near, 0);
  double height = d.dot(hull.vertices[static_cast<std::size_t>(at)]);
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
