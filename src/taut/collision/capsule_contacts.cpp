#include <algorithm>

#include "taut/collision/manifold_internal.hpp"

namespace taut::collision::detail {

namespace {

/// Segments p ± u and q ± v (a sphere's is a point).
struct TwoSegments {
  Vec3 u, v;  ///< half the segments
  Vec3 d;     ///< from p to q

  /// −1 … 1 along the first for −1 … 1 along the second, and the other way round.
  double nearest_on_first(double t) const {
    const double length = u.squaredNorm();
    return length > 0 ? std::clamp(u.dot(d + t * v) / length, -1.0, 1.0) : 0;
  }
  double nearest_on_second(double s) const {
    const double length = v.squaredNorm();
    return length > 0 ? std::clamp(v.dot(s * u - d) / length, -1.0, 1.0) : 0;
  }
  Vec3 between(double s, double t) const { return d + t * v - s * u; }
};

struct SegmentPair {
  double s, t;
  double squared;
};

/// The nearest points: inside of both where the lines are nearest, else at an end of one.
SegmentPair nearest_pair(const TwoSegments& two) {
  SegmentPair best{0, 0, std::numeric_limits<double>::infinity()};
  const auto consider = [&](double s, double t) {
    const double squared = two.between(s, t).squaredNorm();
    if (squared < best.squared) best = {s, t, squared};
  };
  const Vec3 cross = two.u.cross(two.v);
  const double area = cross.squaredNorm();
  if (area > 1e-30 * two.u.squaredNorm() * two.v.squaredNorm()) {
    const double s = two.d.cross(two.v).dot(cross) / area, t = two.d.cross(two.u).dot(cross) / area;
    if (std::abs(s) <= 1 && std::abs(t) <= 1) consider(s, t);
  }
  for (const double end : {-1.0, 1.0}) {
    consider(two.nearest_on_first(end), end);
    consider(end, two.nearest_on_second(end));
  }
  return best;
}

/// The direction of the gap: across a segment where its nearest point is not an end of it. Where
/// the segments meet, any direction across both is a way out.
Vec3 normal_between(const TwoSegments& two, const SegmentPair& nearest) {
  const double first = two.u.norm(), second = two.v.norm(), size = std::max(first, second);
  const double least = std::sqrt(nearest.squared);
  const Vec3 cross = two.u.cross(two.v);
  Vec3 normal = two.between(nearest.s, nearest.t);
  const bool is_crossing = cross.norm() > 1e-6 * first * second;
  if (is_crossing && least < 1e-6 * size && std::abs(nearest.s) < 1 && std::abs(nearest.t) < 1)
    return (cross.dot(normal) < 0 ? Vec3(-cross) : cross).normalized();
  // What is left along a segment is a rounding error, and not small when the gap is.
  if (first > 0 && std::abs(nearest.s) < 1) normal -= normal.dot(two.u) / (first * first) * two.u;
  if (second > 0 && std::abs(nearest.t) < 1)
    normal -= normal.dot(two.v) / (second * second) * two.v;
  if (normal.norm() > 1e-13 * size) return normal.normalized();
  if (cross.norm() > 1e-15 * first * second) {  // nearly parallel: exactly across one of them
    const Vec3 across = (cross - cross.dot(two.u) / (first * first) * two.u).normalized();
    return (across - across.dot(two.u) / (first * first) * two.u).normalized();
  }
  return first > 0    ? two.u.unitOrthogonal()
         : second > 0 ? two.v.unitOrthogonal()
                      : Vec3(Vec3::UnitZ());
}

}  // namespace

CoreGap segment_gap(const Difference& difference) {
  const TwoSegments two{difference.a.size.z() * Vec3::UnitZ(),
                        difference.b.size.z() * difference.rotation.col(2), difference.shift};
  const SegmentPair nearest = nearest_pair(two);
  const Vec3 normal = normal_between(two, nearest);
  return {normal, normal.dot(two.between(nearest.s, nearest.t)), nearest.s * two.u, 0};
}

void capsule_contacts(const Core& a, const Pose3& at_a, const Core& b, const Pose3& at_b,
                      double margin, std::uint64_t part, std::vector<ContactPoint>& out) {
  const TwoSegments two{a.size.z() * at_a.rotation.col(2), b.size.z() * at_b.rotation.col(2),
                        at_b.position - at_a.position};
  const SegmentPair nearest = nearest_pair(two);
  const double radii = a.radius + b.radius;
  const double reach = margin + radii;
  if (nearest.squared > reach * reach) return;
  const double least = std::sqrt(nearest.squared);
  const double size = std::max({two.u.norm(), two.v.norm(), radii});
  const Vec3 normal = normal_between(two, nearest);

  const std::size_t first = out.size();
  const auto add = [&](double s, double t, const Vec3& n, std::uint64_t id) {
    ContactPoint c;
    const double gap = n.dot(two.between(s, t));
    c.normal = n;
    c.gap = gap - radii;
    c.on_a = at_a.position + s * two.u + a.radius * n;
    c.on_b = c.on_a + c.gap * n;
    c.feature = mixed(id, part);
    out.push_back(c);
  };
  // Ends that face the other segment beside its own ends. The nearest pair may be one of them.
  const auto add_end = [&](double s, double t, std::uint64_t id) {
    const Vec3 v = two.between(s, t);
    const double length = v.norm();
    if (length > reach) return;
    for (std::size_t i = first; i < out.size(); ++i)
      if ((at_a.position + s * two.u - (out[i].on_a - a.radius * out[i].normal)).norm() <
          1e-7 * size)
        return;
    add(s, t, length > 1e-6 * size && v.dot(normal) > 0 ? Vec3(v / length) : normal, id);
  };
  std::uint64_t id = 0;
  for (const double end : {-1.0, 1.0}) {
    const double s = two.nearest_on_first(end), t = two.nearest_on_second(end);
    if (two.v.norm() > 0 && std::abs(s) < 1) add_end(s, end, ++id);
    if (two.u.norm() > 0 && std::abs(t) < 1) add_end(end, t, 16 + id);
  }
  const bool has_nearest =
      std::any_of(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
                  [&](const ContactPoint& c) { return c.gap <= least - radii + 1e-9 * size; });
  if (!has_nearest) add(nearest.s, nearest.t, normal, 32);
}

}  // namespace taut::collision::detail
