// Contacts with surfaces of triangles, without catching on the edges inside.
#include <algorithm>
#include <limits>

#include "taut/collision/manifold_internal.hpp"

namespace taut::collision::detail {

namespace {

/// Whether a body may be pushed along n (unit, outwards) where it touches this triangle at a point:
/// inside only along the triangle's normal, at a convex edge up to the normal of the triangle
/// behind.
bool may_push(const SurfaceTriangle& t, const Vec3& point, const Vec3& n) {
  constexpr double turned = 1e-9;  // an angle that is none
  if (!(n.dot(t.normal) > 0)) return false;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 edge = t.corner[(k + 1) % 3] - t.corner[k];
    const Vec3 side = edge.cross(t.normal).normalized();                // away from the triangle
    if (side.dot(point - t.corner[k]) < -1e-9 * edge.norm()) continue;  // not at this edge
    if (!t.is_shared[k]) continue;
    const double behind = std::atan2(t.across[k].dot(side), t.across[k].dot(t.normal));
    const double here = std::atan2(n.dot(side), n.dot(t.normal));
    if (here > std::max(behind, 0.0) + turned) return false;
    if (here < -turned && behind < 0) return false;
  }
  return true;
}

/// How far a core reaches along n. `near`: of a hull, the vertex that was found last.
double height(const Core& core, const Pose3& at, const Vec3& n, int& near) {
  return n.dot(at * support(core, Vec3(at.rotation.transpose() * n), near)) + core.radius;
}

}  // namespace

void surface_contacts(const Shape& surface, const Pose3& at_a, const Core& b, const Pose3& at_b,
                      double margin, std::uint64_t part, std::vector<ContactPoint>& out) {
  const Pose3 seen = at_a.relative(at_b);
  const std::size_t first = out.size();
  const double reach_of_b = margin + b.radius;
  int lowest_vertex = -1, highest_vertex = -1;
  for_each_triangle(surface, bounds(b, seen).grown(margin), [&](int number) {
    const std::array<Vec3, 3> corner = corners(surface, number);
    const Vec3 up = triangle_normal(corner);
    const double plane = up.dot(corner[0]);
    if (-height(b, seen, -up, lowest_vertex) - plane > margin) return;  // all of it is far above
    if (height(b, seen, up, highest_vertex) < plane) return;            // … or behind
    const Core core = triangle_core(corner[0], corner[1], corner[2]);
    const Difference difference(core, b, seen);
    CoreGap gap = core_gap(difference, reach_of_b);
    if (gap.gap > reach_of_b) return;
    const SurfaceTriangle t = triangle(surface, number);
    const bool is_own = may_push(t, gap.on_a, gap.normal);
    CoreManifold manifold;
    if (!is_own) gap.normal = t.normal;
    find_manifold(difference, gap.normal, reach_of_b, is_own ? &gap : nullptr, manifold);
    const Vec3 normal = at_a.rotation * gap.normal;
    for (int i = 0; i < manifold.count; ++i) {
      const CorePoint& p = manifold.point[i];
      ContactPoint c;
      c.normal = normal;
      c.gap = p.gap - b.radius;
      c.on_a = at_a * p.on_a;
      c.on_b = c.on_a + c.gap * normal;
      c.feature = mixed(mixed(p.feature, static_cast<std::uint64_t>(number)), part);
      out.push_back(c);
    }
  });

  // Triangles that have an edge in common give its points twice. Those of one normal are thinned
  // out.
  const double same = 1e-7 * reach(b);
  std::size_t done = first;
  while (done < out.size()) {
    const Vec3 normal = out[done].normal;
    const auto group_end = std::partition(
        out.begin() + static_cast<std::ptrdiff_t>(done), out.end(),
        [&](const ContactPoint& c) { return (c.normal - normal).squaredNorm() < 1e-18; });
    auto kept = out.begin() + static_cast<std::ptrdiff_t>(done);
    for (auto it = kept; it != group_end; ++it) {
      const bool is_double =
          std::any_of(out.begin() + static_cast<std::ptrdiff_t>(done), kept,
                      [&](const ContactPoint& c) { return (c.on_b - it->on_b).norm() <= same; });
      if (!is_double) *kept++ = *it;
    }
    const auto last = static_cast<std::size_t>(kept - out.begin());
    out.erase(kept, group_end);
    done = thin_out(out, done, last);
  }
}

}  // namespace taut::collision::detail
