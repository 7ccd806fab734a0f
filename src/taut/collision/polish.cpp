// The last digits of a way out of a round body.
//
// Where many faces of an expanding polytope are about equally near (a cylinder around an axis), its
// expansion takes too long. From a direction m near the best one we go on like this: B is moved
// along m until it is just free; the direction F(m) of the gap that opens is the normal of B − A at
// the point where it was left. The best direction has F(m) = m. Newton's method on F(m) − m in the
// tangent plane finds it; without progress F(m) itself is tried, which is never far off.
#include <limits>

#include "taut/collision/gjk_internal.hpp"

namespace taut::collision::detail {

namespace {

struct WayOut {
  Vec3 n;  ///< as the normal of a gap
  double gap;
};

class Polisher {
 public:
  Polisher(const Difference& difference, double scale) : difference_(difference), scale_(scale) {}

  WayOut evaluate(const Vec3& n) const { return {n, n.dot(lowest(difference_, n).w)}; }

  /// One step of Newton's method; the best direction found.
  WayOut step(const WayOut& from) const {
    const Vec3 t = from.n.unitOrthogonal(), u = from.n.cross(t);
    const Vec3 here = gap_at_exit(difference_, from.n, from.gap, scale_).normal;
    constexpr double small = 1e-5;
    Eigen::Matrix2d slope;
    const Eigen::Vector2d residual(here.dot(t), here.dot(u));
    for (int k = 0; k < 2; ++k) {
      const WayOut beside = evaluate((from.n + small * (k ? u : t)).normalized());
      const Vec3 there = gap_at_exit(difference_, beside.n, beside.gap, scale_).normal - beside.n;
      slope(0, k) = (there.dot(t) - residual.x()) / small;
      slope(1, k) = (there.dot(u) - residual.y()) / small;
    }
    WayOut best = from;
    const auto consider = [&](const Vec3& n) {
      const WayOut way = evaluate(n);
      if (way.gap > best.gap) best = way;
    };
    consider(here);
    // Along a ring of equally good directions the slope is 0: least squares takes no step there.
    const Eigen::Vector2d move =
        -(slope.transpose() * slope + 1e-12 * Eigen::Matrix2d::Identity()).inverse() *
        (slope.transpose() * residual);
    if (move.allFinite() && move.norm() < 0.5)
      consider((from.n + move.x() * t + move.y() * u).normalized());
    return best;
  }

 private:
  const Difference& difference_;
  double scale_;
};

}  // namespace

CoreGap gap_at_exit(const Difference& difference, const Vec3& n, double gap, double scale) {
  Difference freed = difference;
  constexpr double clearance = 1e-3;
  freed.shift += (clearance * scale - gap) * n;
  CoreGap opened{n, 0, Vec3::Zero(), 0};
  Simplex simplex;
  double size = 0;
  gap_apart(freed, std::numeric_limits<double>::infinity(), opened, simplex, size);
  return opened;
}

void polish(const Difference& difference, double scale, CoreGap& best) {
  const Polisher polisher(difference, scale);
  constexpr int most_steps_of_polish = 20;
  WayOut way = polisher.evaluate(best.normal);
  for (int i = 0; i < most_steps_of_polish; ++i) {
    const WayOut next = polisher.step(way);
    const double gained = next.gap - way.gap;
    way = next;
    if (!(gained > 1e-15 * scale)) break;
  }
  if (!(way.gap >= best.gap)) return;
  best.normal = way.n;
  best.gap = way.gap;
  best.on_a = gap_at_exit(difference, way.n, way.gap, scale).on_a;
}

}  // namespace taut::collision::detail
