#include "taut/collision/gjk_internal.hpp"

namespace taut::collision::detail {

namespace {

/// Calls visit(normal) for every face of a polytope, and for a flat one for both sides.
template <class Visit>
void for_each_normal(const Core& core, Visit&& visit) {
  if (core.type == CoreType::box) {
    for (int k = 0; k < 3; ++k) visit(Vec3(Vec3::Unit(k)));
  } else if (core.type == CoreType::hull) {
    for (const Vec3& normal : core.hull->normals) visit(normal);
  } else if (core.type == CoreType::cylinder || core.type == CoreType::cone) {
    visit(Vec3(Vec3::UnitZ()));
  } else if (core.type == CoreType::triangle) {
    visit(Vec3((core.corner[1] - core.corner[0]).cross(core.corner[2] - core.corner[0])));
  }
}

template <class Visit>
void for_each_edge(const Core& core, Visit&& visit) {
  switch (core.type) {
    case CoreType::segment:
      visit(Vec3(Vec3::UnitZ()));
      break;
    case CoreType::box:
      for (int k = 0; k < 3; ++k) visit(Vec3(Vec3::Unit(k)));
      break;
    case CoreType::hull:
      for (const Hull::Edge& edge : core.hull->edges)
        visit(Vec3(core.hull->vertices[static_cast<std::size_t>(edge.vertex[1])] -
                   core.hull->vertices[static_cast<std::size_t>(edge.vertex[0])]));
      break;
    case CoreType::triangle:
      for (std::size_t k = 0; k < 3; ++k) visit(Vec3(core.corner[(k + 1) % 3] - core.corner[k]));
      break;
    default:
      break;
  }
}

}  // namespace

namespace {

void try_both_ways(const Difference& difference, const Vec3& direction, CoreGap& best) {
  const double length = direction.norm();
  if (!(length > 0)) return;
  for (const double sign : {1.0, -1.0}) {
    const Vec3 n = sign * direction / length;
    const double gap = n.dot(lowest(difference, n).w);
    if (gap > best.gap) {
      best.gap = gap;
      best.normal = n;
    }
  }
}

}  // namespace

void try_normals(const Difference& difference, CoreGap& best) {
  const auto try_direction = [&](const Vec3& n) { try_both_ways(difference, n, best); };
  try_direction(best.normal);
  for_each_normal(difference.a, try_direction);
  for_each_normal(difference.b, [&](const Vec3& n) { try_direction(difference.rotation * n); });
}

void try_all_directions(const Difference& difference, double scale, CoreGap& best) {
  const auto try_direction = [&](const Vec3& n) { try_both_ways(difference, n, best); };
  try_normals(difference, best);
  for_each_edge(difference.a, [&](const Vec3& e) {
    for_each_edge(difference.b, [&](const Vec3& f) {
      const Vec3 g = difference.rotation * f;
      const Vec3 n = e.cross(g);
      if (n.norm() > 1e-10 * e.norm() * g.norm()) try_direction(n);  // else they are parallel
    });
  });
  best.error = 0;
  best.on_a = gap_at_exit(difference, best.normal, best.gap, scale).on_a;
}

}  // namespace taut::collision::detail
