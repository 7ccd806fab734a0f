#include <numbers>

#include "taut/collision/manifold_internal.hpp"

namespace taut::collision::detail {

namespace {

constexpr int rim_points = 8;

/// Vertices of a box are numbered by their signs (bit k: positive along axis k), edges by their
/// axis and the signs of the two others.
void box_face(const Vec3& s, const Vec3& d, Feature& feature) {
  int axis = 0;
  d.cwiseAbs().maxCoeff(&axis);
  const bool is_up = d[axis] > 0;
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  for (int k = 0; k < 4; ++k) {
    // Counter-clockwise about +axis; the other way round below.
    const int turn = is_up ? k : 3 - k;
    const auto signs = [&](int t) {
      const int along_u = t == 1 || t == 2 ? 1 : 0, along_v = t >= 2 ? 1 : 0;
      return static_cast<std::uint32_t>((is_up ? 1 : 0) << axis | along_u << u | along_v << v);
    };
    const std::uint32_t here = signs(turn), next = signs((turn + (is_up ? 1 : 3)) % 4);
    Vec3 p;
    for (int i = 0; i < 3; ++i) p[i] = here >> i & 1 ? s[i] : -s[i];
    const std::uint32_t changed = here ^ next;
    const std::uint32_t edge_axis = changed == 1 ? 0 : changed == 2 ? 1 : 2;
    feature.add(p, here, edge_axis << 3 | (here & next));
  }
}

/// A polygon in the rim of a round face at height z, which looks up or down.
void rim(double r, double z, bool looks_up, std::uint32_t first, Feature& feature) {
  for (int k = 0; k < rim_points; ++k) {
    const int turn = looks_up ? k : rim_points - 1 - k;
    const double angle = 2 * std::numbers::pi * turn / rim_points;
    const auto id = static_cast<std::uint32_t>(first + static_cast<std::uint32_t>(turn));
    feature.add({r * std::cos(angle), r * std::sin(angle), z}, id, id);
  }
}

void cylinder_face(const Vec3& s, const Vec3& d, Feature& feature) {
  const double across = std::sqrt(d.x() * d.x() + d.y() * d.y());
  if (std::abs(d.z()) > across)
    return rim(s.x(), std::copysign(s.z(), d.z()), d.z() > 0, d.z() > 0 ? rim_points : 0, feature);
  const double x = s.x() * d.x() / across, y = s.x() * d.y() / across;
  feature.add({x, y, -s.z()}, 2 * rim_points, 2 * rim_points);
  feature.add({x, y, s.z()}, 2 * rim_points + 1, 2 * rim_points);
}

void cone_face(const Vec3& s, const Vec3& d, Feature& feature) {
  const double across = std::sqrt(d.x() * d.x() + d.y() * d.y());
  const double r = s.x(), h = s.z(), slope = std::sqrt(r * r + 4 * h * h);
  if (-d.z() * slope > 2 * h * across + r * d.z()) return rim(r, -h, false, 0, feature);
  const double scale = across > 0 ? r / across : 0;
  if (scale > 0) feature.add({scale * d.x(), scale * d.y(), -h}, rim_points, rim_points);
  feature.add({0, 0, h}, rim_points + 1, rim_points);
}

/// Of the faces at the farthest vertex the one that looks most in direction d.
void hull_face(const Hull& hull, const Vec3& d, int near, Feature& feature) {
  const auto vertex = static_cast<std::size_t>(farthest_vertex(hull, d, near));
  int best = 0;
  double most = -2 * d.norm();
  for (int k = hull.neighbour_start[vertex]; k < hull.neighbour_start[vertex + 1]; ++k) {
    const int face = hull.faces_beside[static_cast<std::size_t>(k)];
    const double along = d.dot(hull.normals[static_cast<std::size_t>(face)]);
    if (along > most) {
      most = along;
      best = face;
    }
  }
  const auto f = static_cast<std::size_t>(best);
  const int first = hull.face_start[f], count = hull.face_start[f + 1] - first;
  // Of a face with very many corners some are enough.
  const int stride = (count + Feature::most - 1) / Feature::most;
  for (int k = 0; k < count; k += stride) {
    const auto i = static_cast<std::size_t>(first + k);
    feature.add(hull.vertices[static_cast<std::size_t>(hull.face_vertex[i])],
                static_cast<std::uint32_t>(hull.face_vertex[i]),
                static_cast<std::uint32_t>(hull.face_edge[i]));
  }
}

}  // namespace

void find_feature(const Core& core, const Vec3& d, Feature& feature, int near) {
  switch (core.type) {
    case CoreType::segment:
      feature.add({0, 0, -core.size.z()}, 0, 0);
      feature.add({0, 0, core.size.z()}, 1, 0);
      return;
    case CoreType::box:
      return box_face(core.size, d, feature);
    case CoreType::cylinder:
      return cylinder_face(core.size, d, feature);
    case CoreType::cone:
      return cone_face(core.size, d, feature);
    case CoreType::hull:
      return hull_face(*core.hull, d, near, feature);
    case CoreType::triangle: {
      const Vec3 normal = (core.corner[1] - core.corner[0]).cross(core.corner[2] - core.corner[0]);
      const bool is_front = normal.dot(d) >= 0;
      for (std::uint32_t k = 0; k < 3; ++k) {
        const std::uint32_t i = is_front ? k : 2 - k;
        feature.add(core.corner[i], i, is_front ? i : (i + 2) % 3);
      }
      return;
    }
    default:
      feature.add(support(core, d), 0, 0);
  }
}

}  // namespace taut::collision::detail
