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
constexpr double good_enough =
    1e-12;                         ///< of bounds that could meet better, a second attempt is made
constexpr double trusted = 1e-11;  ///< bounds farther apart than this are worth another attempt

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

/// How far an approach got.
struct Approach {
  Vec3 v;               ///< between points of both bodies
  double upper, lower;  ///< bounds on the gap: the length of v, and what its direction shows
  Simplex simplex;      ///< with v
  enum { met, far, touching } end;
};

/// From a direction on. `best` has the best lower bound so far.
Approach approach(const Difference& difference, const Vec3& from, double cutoff, double& scale,
                  CoreGap& best) {
  Approach a{from, std::numeric_limits<double>::infinity(), 0, {}, Approach::met};
  int idle = 0;
  for (int step = 0; step < most_steps; ++step) {
    const DifferencePoint next = lowest(difference, a.v);
    scale = std::max({scale, next.w.squaredNorm(), next.a.squaredNorm()});
    const double length = a.v.norm();
    a.lower = a.v.dot(next.w) / length;
    if (a.lower > best.gap) {
      best.gap = a.lower;
      best.normal = a.v / length;
      if (a.lower > cutoff) {
        best.on_a = next.a;
        a.end = Approach::far;
        return a;
      }
    }
    const double size = std::sqrt(scale);
    if (a.upper - a.lower <= accuracy * size || has(a.simplex, next.w)) break;
    // The gap is known when any two bounds meet; a few steps more make the points as good.
    if (a.upper - best.gap <= accuracy * size && ++idle > most_idle) break;
    const Simplex before = a.simplex;
    a.simplex.point[a.simplex.count++] = next;
    reduce(a.simplex);
    a.end = Approach::touching;
    if (a.simplex.count == 4) return a;
    const Vec3 nearer = a.simplex.nearest();
    const double distance = nearer.norm();
    if (distance <= touching * size) return a;
    a.end = Approach::met;
    // Without progress a few times: rounding errors. (At first the direction may still improve.)
    if (!(distance < a.upper)) ++idle;
    if (!(distance <= (1 + 1e-15) * a.upper) || idle > most_idle) {
      a.simplex = before;
      break;
    }
    a.v = nearer;
    a.upper = distance;
  }
  return a;
}

}  // namespace

bool gap_apart(const Difference& difference, double cutoff, CoreGap& best, Simplex& simplex,
               double& size) {
  Vec3 from = difference.shift;
  if (!(from.squaredNorm() > 0)) from = Vec3::UnitX();
  best = {from.normalized(), -std::numeric_limits<double>::infinity(), Vec3::Zero(), 0};
  double scale = 0;
  Approach a = approach(difference, from, cutoff, scale, best);
  size = std::sqrt(scale);
  simplex = a.simplex;
  if (a.end == Approach::far) return true;
  if (a.end == Approach::touching) return false;
  const bool is_long = a.upper > 1e-3 * size;
  if (is_long && a.upper - a.lower > good_enough * size) {
    // A simplex without thickness hides the last digits: another one, from the best direction on,
    // has another form.
    const Approach again = approach(difference, best.normal, cutoff, scale, best);
    if (again.end == Approach::met && again.upper - again.lower < a.upper - a.lower) a = again;
    simplex = a.simplex;
  }
  best.on_a = simplex.nearest_on_a();
  if (simplex.count == 3 && !is_long) improve_normal(difference, simplex, a.v, best);
  best.error = std::max(0.0, a.upper - best.gap);
  if (a.upper - a.lower <= trusted * size && (is_long || best.gap - a.lower <= accuracy * size)) {
    best.normal = a.v / a.upper;  // the points are then just apart by gap·normal
    best.gap = a.upper;
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
    const bool are_polytopes = difference.a.is_polytope() && difference.b.is_polytope();
    if (!are_polytopes && apart.gap > 0 && polish_apart(difference, size, apart)) return apart;
    const double upper = apart.gap + apart.error;
    const CoreGap other = penetration(difference, simplex, size);
    if (other.gap > apart.gap) apart = other;
    if (!are_polytopes)
      polish(difference, size, {}, apart);
    else if (upper - apart.gap > trusted * size)
      try_all_directions(difference, size, apart);
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
