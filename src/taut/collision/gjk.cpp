// Cores that are apart.
//
// v is the point nearest to the origin of a simplex inside B − A, so |v| is at least the distance;
// the lowest point w of B − A along v gives the lower bound v·w/|v|. Both bounds meet. Of polytopes
// they do so after finitely many steps; of round bodies their difference falls to rounding errors.
#include <limits>

#include "taut/collision/gjk_internal.hpp"

namespace taut::collision::detail {

namespace {

constexpr int most_steps = 200;
constexpr double accuracy = 2e-14;  ///< of the gap, relative to the size of B − A
constexpr double touching = 1e-13;  ///< nearer than this, relative to it, counts as an overlap

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

CoreGap core_gap(const Difference& difference, double cutoff) {
  Simplex simplex;
  Vec3 v = difference.shift;
  if (!(v.squaredNorm() > 0)) v = Vec3::UnitX();
  CoreGap best{v.normalized(), -std::numeric_limits<double>::infinity(), Vec3::Zero(), 0};
  double upper = std::numeric_limits<double>::infinity(), scale = 0;
  for (int step = 0; step < most_steps; ++step) {
    const DifferencePoint next = lowest(difference, v);
    scale = std::max(scale, next.w.squaredNorm());
    const double length = v.norm();
    const double lower = v.dot(next.w) / length;
    if (lower > best.gap) {
      best.gap = lower;
      best.normal = v / length;
      if (lower > cutoff) break;
    }
    const double size = std::sqrt(scale);
    if (upper - best.gap <= accuracy * size || has(simplex, next.w)) break;
    const Simplex before = simplex;
    simplex.point[simplex.count++] = next;
    reduce(simplex);
    if (simplex.count == 4) return penetration(difference, simplex, size);
    v = simplex.nearest();
    const double nearer = v.norm();
    if (nearer <= touching * size) return penetration(difference, simplex, size);
    if (!(nearer < upper)) {  // rounding errors: no progress
      simplex = before;
      v = simplex.nearest();
      break;
    }
    upper = nearer;
  }
  if (simplex.count == 0) {  // stopped by the cutoff at once
    best.on_a = support(difference.a, best.normal);
    return best;
  }
  if (simplex.count == 3 && upper < 1e-3 * std::sqrt(scale) && best.gap <= cutoff)
    improve_normal(difference, simplex, v, best);
  best.on_a = simplex.nearest_on_a();
  best.error = std::max(0.0, upper - best.gap);
  return best;
}

}  // namespace taut::collision::detail
