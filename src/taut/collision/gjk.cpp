// Cores that are apart.
//
// v is the point nearest to the origin of a simplex inside B − A, so |v| is at least the distance;
// the lowest point w of B − A along v gives the lower bound v·w/|v|. Both bounds meet. Of polytopes
// they do so after finitely many steps; of round bodies their difference falls to rounding errors.
#include <algorithm>
#include <limits>

#include "taut/collision/gjk_internal.hpp"

namespace taut::collision::detail {

namespace {

constexpr int most_steps = 200, most_idle = 3;
constexpr double accuracy = 2e-14;  ///< of the gap, relative to the size of B − A
constexpr double touching = 1e-13;  ///< nearer than this, relative to it, counts as an overlap
constexpr double trusted = 1e-11;   ///< bounds farther apart than this are worth another attempt

bool has(const Simplex& simplex, const Vec3& w) {
  for (int i = 0; i < simplex.count; ++i)
    if (simplex.point[i].w == w) return true;
  return false;
}

/// Where v is short, its direction suffers from cancellation: the normal of the three points of
/// B − A next to the origin does not.
void improve_normal(const Difference& difference, const Simplex& simplex, const Vec3& v,
                    CoreGap& best) {
  Vec3 n = (simplex.point[1].w - simplex.point[0].w).cross(simplex.point[2].w - simplex.point[0].w);
  if (n.dot(v) < 0) n = -n;
  const double length = n.norm();
  if (!(length > 0)) return;
  n /= length;
  const double gap = n.dot(lowest(difference, n).w);
  if (gap > best.gap) {
    best.normal = n;
    best.gap = gap;
  }
}

}  // namespace

bool gap_apart(const Difference& difference, double cutoff, CoreGap& best, Simplex& simplex,
               double& size) {
  Vec3 v = difference.shift;
  if (!(v.squaredNorm() > 0)) v = Vec3::UnitX();
  best = {v.normalized(), -std::numeric_limits<double>::infinity(), Vec3::Zero(), 0};
  double upper = std::numeric_limits<double>::infinity(), scale = 0, lower = 0;
  int idle = 0;
  for (int step = 0; step < most_steps; ++step) {
    const DifferencePoint next = lowest(difference, v);
    scale = std::max({scale, next.w.squaredNorm(), next.a.squaredNorm()});
    const double length = v.norm();
    lower = v.dot(next.w) / length;
    if (lower > best.gap) {
      best.gap = lower;
      best.normal = v / length;
      if (lower > cutoff) {
        best.on_a = next.a;
        return true;
      }
    }
    size = std::sqrt(scale);
    if (upper - lower <= accuracy * size || has(simplex, next.w)) break;
    // The gap is known when any two bounds meet; a few steps more make the points as good.
    if (upper - best.gap <= accuracy * size && ++idle > most_idle) break;
    const Simplex before = simplex;
    simplex.point[simplex.count++] = next;
    reduce(simplex);
    if (simplex.count == 4) return false;
    const Vec3 nearer = simplex.nearest();
    const double distance = nearer.norm();
    if (distance <= touching * size) return false;
    // Without progress a few times: rounding errors. (At first the direction may still improve.)
    if (!(distance < upper)) ++idle;
    if (!(distance <= (1 + 1e-15) * upper) || idle > most_idle) {
      simplex = before;
      break;
    }
    v = nearer;
    upper = distance;
  }
  best.on_a = simplex.nearest_on_a();
  if (simplex.count == 3 && upper < 1e-3 * size) improve_normal(difference, simplex, v, best);
  best.error = std::max(0.0, upper - best.gap);
  const bool is_long = upper > 1e-3 * size;
  // v is between points of both, so these are just apart by gap·normal. A direction that gave a
  // better bound on the way has no such points. Where v is short, its own is not as good.
  const bool is_good = is_long
                           ? best.error <= trusted * size
                           : upper - lower <= trusted * size && best.gap - lower <= accuracy * size;
  if (is_good) {
    best.normal = v / upper;
    best.gap = upper;
  }
  return true;
}

namespace {

/// Of a box and a segment that overlap, whichever of the two is the box.
CoreGap box_and_segment(const Difference& difference) {
  constexpr double none = std::numeric_limits<double>::infinity();
  CoreGap gap;
  if (difference.a.type == CoreType::box) {
    box_gap(difference, none, gap);
    return gap;
  }
  const Mat3 back = difference.rotation.transpose();
  const Difference seen(difference.b, difference.a, Pose3(-(back * difference.shift), back));
  box_gap(seen, none, gap);
  return {-(difference.rotation * gap.normal), gap.gap,
          difference.rotation * (gap.on_a + gap.gap * gap.normal) + difference.shift, 0};
}

CoreGap gap_of_overlap(const Difference& difference, const Simplex& simplex, double size) {
  const CoreType a = difference.a.type, b = difference.b.type;
  const bool is_box_and_segment = (a == CoreType::box && b == CoreType::segment) ||
                                  (a == CoreType::segment && b == CoreType::box);
  // One that only touches has its common point in the simplex.
  if (is_box_and_segment && simplex.count == 4) return box_and_segment(difference);
  return penetration(difference, simplex, size);
}

CoreGap general_gap(const Difference& difference, double cutoff) {
  CoreGap apart;
  Simplex simplex;
  double size = 0;
  if (!gap_apart(difference, cutoff, apart, simplex, size))
    return gap_of_overlap(difference, simplex, size);
  if (apart.error > trusted * size) {  // nearly touching, and the direction is not certain
    const double upper = apart.gap + apart.error;
    const CoreGap other = penetration(difference, simplex, size);
    if (other.gap > apart.gap) apart = other;
    if (!difference.a.is_polytope() || !difference.b.is_polytope())
      polish(difference, size, {}, apart);
    apart.error = std::max(0.0, upper - apart.gap);
  }
  return apart;
}

}  // namespace

CoreGap core_gap(const Difference& difference, double cutoff) {
  if (difference.b.type == CoreType::point && has_point_gap(difference.a)) {
    const PointGap p = point_gap(difference.a, difference.shift);
    return {p.normal, p.gap, difference.shift - p.gap * p.normal, 0};
  }
  if (difference.a.type == CoreType::point && has_point_gap(difference.b)) {
    const PointGap p =
        point_gap(difference.b, -(difference.rotation.transpose() * difference.shift));
    return {-(difference.rotation * p.normal), p.gap, Vec3::Zero(), 0};
  }
  if (difference.a.type == CoreType::segment && difference.b.type == CoreType::segment)
    return segment_gap(difference);
  if (difference.a.type != CoreType::box || difference.b.type != CoreType::box)
    return general_gap(difference, cutoff);
  CoreGap boxes;
  if (box_gap(difference, cutoff, boxes)) return boxes;
  CoreGap gap = general_gap(difference, cutoff);
  if (boxes.gap > gap.gap) {
    gap.error = std::max(0.0, gap.gap + gap.error - boxes.gap);
    gap.gap = boxes.gap;
    gap.normal = boxes.normal;
  }
  return gap;
}

}  // namespace taut::collision::detail
