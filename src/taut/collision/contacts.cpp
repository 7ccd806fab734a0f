#include "taut/collision/contacts.hpp"

#include <limits>

#include "taut/collision/manifold_internal.hpp"

namespace taut::collision {

namespace {

using detail::Core;

void convex_contacts(const Core& a, const Pose3& at_a, const Core& b, const Pose3& at_b,
                     double margin, std::uint64_t part, std::vector<ContactPoint>& out) {
  if (a.type <= detail::CoreType::segment && b.type <= detail::CoreType::segment)
    return detail::capsule_contacts(a, at_a, b, at_b, margin, part, out);
  const detail::Difference difference(a, b, at_a.relative(at_b));
  const double radii = a.radius + b.radius;
  const detail::CoreGap gap = detail::core_gap(difference, margin + radii);
  if (gap.gap > margin + radii) return;
  detail::CoreManifold manifold;
  detail::find_manifold(difference, gap.normal, margin + radii, &gap, manifold);
  const Vec3 normal = at_a.rotation * gap.normal;
  const std::size_t first = out.size();
  for (int i = 0; i < manifold.count; ++i) {
    const detail::CorePoint& p = manifold.point[i];
    ContactPoint c;
    c.normal = normal;
    c.gap = p.gap - radii;
    c.on_a = at_a * p.on_a + a.radius * normal;
    c.on_b = c.on_a + c.gap * normal;
    c.feature = detail::mixed(p.feature, part);
    out.push_back(c);
  }
  detail::thin_out(out, first, out.size());
}

/// The plane is a.
void plane_contacts(const Pose3& plane, const Core& b, const Pose3& at_b, double margin,
                    std::uint64_t part, std::vector<ContactPoint>& out) {
  const Distance deepest = detail::plane_gap(plane, b, at_b);
  if (deepest.gap > margin) return;
  const Vec3 normal = plane.rotation.col(2);
  const Vec3 down = -(at_b.rotation.transpose() * normal);
  const double height = normal.dot(at_b.position - plane.position);
  detail::Feature feature;
  detail::find_feature(b, down, feature);
  const std::size_t first = out.size();
  const auto add = [&](const Vec3& on_b, double gap, std::uint64_t id) {
    out.push_back({on_b - gap * normal, on_b, normal, gap, detail::mixed(id, part)});
  };
  double least = std::numeric_limits<double>::infinity(), size = 0;
  for (int i = 0; i < feature.count; ++i) {
    const double gap = height - down.dot(feature.point[i]) - b.radius;
    size = std::max(size, feature.point[i].norm());
    if (gap > margin) continue;
    least = std::min(least, gap);
    add(at_b * feature.point[i] - b.radius * normal, gap, feature.vertex[i]);
  }
  constexpr std::uint64_t lowest_of_all = std::uint64_t{1} << 32;
  if (!(least <= deepest.gap + 1e-9 * size)) add(deepest.on_b, deepest.gap, lowest_of_all);
  detail::thin_out(out, first, out.size());
}

void swap_sides(std::vector<ContactPoint>& contacts, std::size_t first) {
  for (std::size_t i = first; i < contacts.size(); ++i) {
    std::swap(contacts[i].on_a, contacts[i].on_b);
    contacts[i].normal = -contacts[i].normal;
  }
}

void any_contacts(const Shape& a, const Pose3& at_a, const Shape& b, const Pose3& at_b,
                  double margin, std::uint64_t part, std::vector<ContactPoint>& out) {
  if (a.type == ShapeType::compound || b.type == ShapeType::compound) {
    const bool first = a.type == ShapeType::compound;
    const Shape& whole = first ? a : b;
    const Bounds other =
        (first ? bounds(b, at_a.relative(at_b)) : bounds(a, at_b.relative(at_a))).grown(margin);
    whole.piece_tree->overlapping(other, [&](int number) {
      const Piece& piece = (*whole.pieces)[static_cast<std::size_t>(number)];
      const Pose3 at = (first ? at_a : at_b) * piece.pose;
      const std::uint64_t id = detail::mixed(part, static_cast<std::uint64_t>(number) + 1);
      if (first)
        any_contacts(piece.shape, at, b, at_b, margin, id, out);
      else
        any_contacts(a, at_a, piece.shape, at, margin, id, out);
      return true;
    });
    return;
  }
  const std::size_t before = out.size();
  if (a.is_convex() && b.is_convex()) {
    convex_contacts(detail::core_of(a), at_a, detail::core_of(b), at_b, margin, part, out);
  } else if (a.is_convex()) {
    any_contacts(b, at_b, a, at_a, margin, part, out);
    swap_sides(out, before);
  } else if (a.type == ShapeType::plane) {
    plane_contacts(at_a, detail::core_of(b), at_b, margin, part, out);
  } else {
    detail::surface_contacts(a, at_a, detail::core_of(b), at_b, margin, part, out);
  }
}

}  // namespace

void contacts(const Shape& a, const Pose3& at_a, const Shape& b, const Pose3& at_b, double margin,
              std::vector<ContactPoint>& out) {
  detail::require_pair(a, b);
  any_contacts(a, at_a, b, at_b, margin, 0, out);
}

}  // namespace taut::collision
