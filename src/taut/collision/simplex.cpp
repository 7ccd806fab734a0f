// The point of a simplex that is nearest to the origin.
#include "taut/collision/gjk_internal.hpp"

namespace taut::collision::detail {

namespace {

/// A candidate: the points of a simplex it needs, with their weights.
struct NearestPoint {
  int index[3];
  double weight[3];
  int count = 0;
  double squared = 0;  ///< its distance from the origin
};

void measure(NearestPoint& p, const Simplex& s) {
  Vec3 v = p.weight[0] * s.point[p.index[0]].w;
  for (int i = 1; i < p.count; ++i) v += p.weight[i] * s.point[p.index[i]].w;
  p.squared = v.squaredNorm();
}

NearestPoint on_segment(const Simplex& s, int i, int j) {
  const Vec3 &p = s.point[i].w, &q = s.point[j].w;
  const Vec3 edge = q - p;
  const double along = -p.dot(edge), length = edge.squaredNorm();
  NearestPoint nearest;
  if (!(along > 0)) {
    nearest = {{i, 0, 0}, {1, 0, 0}, 1, p.squaredNorm()};
  } else if (!(-q.dot(edge) < 0)) {
    nearest = {{j, 0, 0}, {1, 0, 0}, 1, q.squaredNorm()};
  } else {
    const double t = along / length;
    nearest = {{i, j, 0}, {1 - t, t, 0}, 2, 0};
    measure(nearest, s);
  }
  return nearest;
}

NearestPoint on_triangle(const Simplex& s, int i, int j, int k) {
  const Vec3 &a = s.point[i].w, &b = s.point[j].w, &c = s.point[k].w;
  const Vec3 ab = b - a, ac = c - a;
  const Vec3 normal = ab.cross(ac);
  const double area = normal.squaredNorm();
  // Barycentric coordinates, times `area`, from the corner at which the edges are taken.
  const double v = ac.cross(a).dot(normal), w = a.cross(ab).dot(normal), u = area - v - w;
  if (area > 0 && u > 0 && v > 0 && w > 0) {
    NearestPoint nearest{{i, j, k}, {u / area, v / area, w / area}, 3, 0};
    measure(nearest, s);
    return nearest;
  }
  // Beyond the edges with a negative coordinate; for a triangle without area any of them.
  NearestPoint best;
  const auto try_edge = [&](double coordinate, int from, int to) {
    if (coordinate > 0 && area > 0) return;
    const NearestPoint nearest = on_segment(s, from, to);
    if (best.count == 0 || nearest.squared < best.squared) best = nearest;
  };
  try_edge(u, j, k);
  try_edge(v, i, k);
  try_edge(w, i, j);
  return best;
}

/// Whether the origin is not certainly on the same side of a face as the fourth point.
bool is_beyond(const Simplex& s, int i, int j, int k, int opposite) {
  const Vec3 &a = s.point[i].w, &b = s.point[j].w, &c = s.point[k].w, &d = s.point[opposite].w;
  const Vec3 ab = b - a, ac = c - a;
  const Vec3 normal = ab.cross(ac);
  const double origin_side = -normal.dot(a), inside = normal.dot(d - a);
  // What rounding can do to both: a tetrahedron that is flat up to it has no inside.
  const double noise = 1e-15 * std::sqrt(ab.squaredNorm() * ac.squaredNorm());
  return !(std::abs(inside) > noise * (d - a).norm()) ||
         !((inside > 0 ? origin_side : -origin_side) > noise * a.norm());
}

}  // namespace

void reduce(Simplex& s) {
  NearestPoint best;
  if (s.count == 1) {
    s.weight[0] = 1;
    return;
  }
  if (s.count == 2) {
    best = on_segment(s, 0, 1);
  } else if (s.count == 3) {
    best = on_triangle(s, 0, 1, 2);
  } else {
    constexpr int face[4][4] = {{1, 2, 3, 0}, {0, 2, 3, 1}, {0, 1, 3, 2}, {0, 1, 2, 3}};
    for (const auto& f : face) {
      if (!is_beyond(s, f[0], f[1], f[2], f[3])) continue;
      const NearestPoint nearest = on_triangle(s, f[0], f[1], f[2]);
      if (best.count == 0 || nearest.squared < best.squared) best = nearest;
    }
    if (best.count == 0) return;  // inside
  }
  DifferencePoint kept[3];
  for (int i = 0; i < best.count; ++i) kept[i] = s.point[best.index[i]];
  for (int i = 0; i < best.count; ++i) {
    s.point[i] = kept[i];
    s.weight[i] = best.weight[i];
  }
  s.count = best.count;
}

}  // namespace taut::collision::detail
