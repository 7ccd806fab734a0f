#include "taut/collision/distance.hpp"

#include <fmt/core.h>

#include <limits>

#include "taut/base/error.hpp"
#include "taut/collision/pairs_internal.hpp"

namespace taut::collision {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Visits the triangles of a surface that are nearer to `box` than `best`, which visit(number,
/// best) returns anew.
template <class Visit>
void near_triangles(const Shape& surface, const Bounds& box, double best, Visit&& visit) {
  if (surface.mesh) {
    surface.mesh->tree.nearest(box, best, visit);
    return;
  }
  // Wider and wider around the box, until nothing nearer can be outside.
  const HeightField& field = *surface.height_field;
  for (double wide = field.spacing;; wide *= 2) {
    const Bounds searched = box.grown(wide);
    detail::for_each_triangle(surface, searched,
                              [&](int number) { best = std::min(best, visit(number, best)); });
    if (best <= wide || searched.contains(field.box)) return;
  }
}

Distance convex_pair(const Shape& a, const Pose3& at_a, const Shape& b, const Pose3& at_b,
                     double cutoff) {
  return detail::convex_gap(detail::core_of(a), at_a, detail::core_of(b), at_b, cutoff);
}

/// a: plane, mesh or height field; b: convex.
Distance surface_pair(const Shape& a, const Pose3& at_a, const Shape& b, const Pose3& at_b,
                      double cutoff) {
  const detail::Core core = detail::core_of(b);
  if (a.type == ShapeType::plane) return detail::plane_gap(at_a, core, at_b);
  Distance best;
  best.gap = infinite;
  const Bounds box = detail::bounds_seen_from(at_a, core, at_b);
  near_triangles(a, box, cutoff, [&](int number, double limit) {
    const std::array<Vec3, 3> c = detail::corners(a, number);
    const Distance d =
        detail::convex_gap(detail::triangle_core(c[0], c[1], c[2]), at_a, core, at_b, limit);
    if (d.gap < best.gap) best = d;
    return std::min(limit, d.gap);
  });
  return best;
}

/// Stops looking for what is farther than `cutoff`; the gap is then above it.
Distance gap_below(const Shape& a, const Pose3& at_a, const Shape& b, const Pose3& at_b,
                   double cutoff) {
  if (a.type == ShapeType::compound || b.type == ShapeType::compound) {
    const bool first = a.type == ShapeType::compound;
    const Shape& whole = first ? a : b;
    const Bounds other = first ? bounds(b, at_a.relative(at_b)) : bounds(a, at_b.relative(at_a));
    Distance best;
    best.gap = infinite;
    whole.piece_tree->nearest(other, cutoff, [&](int number, double limit) {
      const Piece& piece = (*whole.pieces)[static_cast<std::size_t>(number)];
      const Distance d = first ? gap_below(piece.shape, at_a * piece.pose, b, at_b, limit)
                               : gap_below(a, at_a, piece.shape, at_b * piece.pose, limit);
      if (d.gap < best.gap) best = d;
      return std::min(limit, d.gap);
    });
    return best;
  }
  if (!a.is_convex()) return surface_pair(a, at_a, b, at_b, cutoff);
  if (!b.is_convex()) return detail::swapped(surface_pair(b, at_b, a, at_a, cutoff));
  return convex_pair(a, at_a, b, at_b, cutoff);
}

}  // namespace

namespace detail {

void require_pair(const Shape& a, const Shape& b) {
  const auto is_rigid = [](const Shape& s) { return s.type == ShapeType::plane || is_surface(s); };
  if (is_rigid(a) && is_rigid(b))
    throw Error(
        fmt::format("contact between a {} and a {}: expected at least one convex shape or "
                    "compound",
                    name(a.type), name(b.type)));
}

Distance plane_gap(const Pose3& plane, const Core& b, const Pose3& at_b) {
  Distance d;
  d.normal = plane.rotation.col(2);
  const Vec3 local = support(b, Vec3(-(at_b.rotation.transpose() * d.normal)));
  d.on_b = at_b * local - b.radius * d.normal;
  d.gap =
      d.normal.dot(at_b.position - plane.position) + d.normal.dot(at_b.rotation * local) - b.radius;
  d.on_a = d.on_b - d.gap * d.normal;
  return d;
}

Distance convex_gap(const Core& a, const Pose3& at_a, const Core& b, const Pose3& at_b,
                    double cutoff) {
  const Difference difference(a, b, at_a.relative(at_b));
  const CoreGap core = core_gap(difference, cutoff + a.radius + b.radius);
  Distance d;
  d.normal = at_a.rotation * core.normal;
  d.gap = core.gap - a.radius - b.radius;
  d.on_a = at_a * core.on_a + a.radius * d.normal;
  d.on_b = d.on_a + d.gap * d.normal;
  d.error = core.error;
  return d;
}

}  // namespace detail

Distance distance(const Shape& a, const Pose3& at_a, const Shape& b, const Pose3& at_b) {
  detail::require_pair(a, b);
  return gap_below(a, at_a, b, at_b, infinite);
}

bool overlap(const Shape& a, const Pose3& at_a, const Shape& b, const Pose3& at_b) {
  detail::require_pair(a, b);
  return gap_below(a, at_a, b, at_b, 0).gap <= 0;
}

}  // namespace taut::collision
