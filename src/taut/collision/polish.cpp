// The last digits of a way out of a round body.
//
// Where many faces of an expanding polytope are about equally near (a cylinder around an axis), its
// expansion takes too long. From a direction m near the best one we go on like this: B is moved
// along m until it is just free; the direction F(m) of the gap that opens is the normal of B − A at
// the point where it was left. The best direction has F(m) = m. Newton's method on F(m) − m in the
// tangent plane finds it; without progress F(m) itself is tried, which is never far off.
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "taut/collision/gjk_internal.hpp"

namespace taut::collision::detail {

namespace {

struct WayOut {
  Vec3 n;  ///< as the normal of a gap
  double gap;
};

struct Turn {
  double cosine = 1, sine = 0;
  Turn() = default;
  explicit Turn(double angle) : cosine(std::cos(angle)), sine(std::sin(angle)) {}
};

class Polisher {
 public:
  Polisher(const Difference& difference, double scale) : difference_(difference), scale_(scale) {
    int count = 0;
    for (const double x : {-1.0, 1.0})
      for (const double y : {-1.0, 1.0})
        for (const double z : {-1.0, 1.0}) corners_[count++] = lowest(difference, {x, y, z}).w;
    for (int k = 0; k < 3; ++k)
      for (const double sign : {-1.0, 1.0})
        corners_[count++] = lowest(difference, sign * Vec3::Unit(k)).w;
  }

  WayOut evaluate(const Vec3& n) const { return {n, n.dot(lowest(difference_, n).w)}; }

  /// One step; the best direction found.
  WayOut step(const WayOut& from) const {
    WayOut best = from;
    const auto consider = [&](const Vec3& n) {
      const WayOut way = evaluate(n);
      const bool is_better = way.gap > best.gap;
      if (is_better) best = way;
      return is_better;
    };
    const Vec3 here = normal_at_exit(from);
    consider(here);
    // Farther the same way, and then to the normal there, as long as that helps.
    for (double far = 2; far < 1000; far *= 2) {
      const Vec3 ahead = (from.n + far * (here - from.n)).normalized();
      if (!consider(normal_at_exit(evaluate(ahead)))) break;
    }
    consider(newton(from, here));
    return best;
  }

  /// Turned about the axes of both bodies: along rings of directions that are nearly as good as
  /// each other, where normals hardly differ, only the gaps themselves show which is best. All
  /// around, since there may be several that are better than those beside them.
  WayOut turned(const WayOut& from) const {
    constexpr int count = 240;
    constexpr double apart = 2 * std::numbers::pi / count;
    static const std::array<Turn, count> all_around = [] {
      std::array<Turn, count> turns;
      for (int i = 0; i < count; ++i) turns[static_cast<std::size_t>(i)] = Turn(i * apart);
      return turns;
    }();
    WayOut best = from;
    for (int k = 0; k < 6; ++k) {
      const Vec3 axis = k < 3 ? Vec3(Vec3::Unit(k)) : Vec3(difference_.rotation.col(k - 3));
      const Vec3 along = axis.dot(from.n) * axis, across = from.n - along;
      if (across.squaredNorm() < 1e-6) continue;  // a ring so small is climbed()
      const Vec3 ahead = axis.cross(from.n);
      const auto at = [&](double angle) {
        const Turn turn(angle);
        return evaluate(along + turn.cosine * across + turn.sine * ahead);
      };
      const auto least = [&] { return best.gap - 1e-4 * scale_; };
      double gaps[count];
      for (int i = 0; i < count; ++i) {
        const Turn& turn = all_around[static_cast<std::size_t>(i)];
        const Vec3 n = along + turn.cosine * across + turn.sine * ahead;
        gaps[i] =
            may_reach(n, least()) ? evaluate(n).gap : -std::numeric_limits<double>::infinity();
      }
      for (int i = 0; i < count; ++i) {
        const double beside = std::max(gaps[(i + 1) % count], gaps[(i + count - 1) % count]);
        if (gaps[i] < beside || gaps[i] < least()) continue;
        double angle = i * apart;
        WayOut way = at(angle);
        for (double step = 0.5 * apart; step > 1e-10; step *= 0.5)
          for (const double sign : {1.0, -1.0})
            if (const WayOut other = at(angle + sign * step); other.gap > way.gap) {
              way = other;
              angle += sign * step;
            }
        if (way.gap > best.gap) best = way;
      }
    }
    return best;
  }

  /// Steps in eight directions around, halved when none helps: along ridges, where the gap has no
  /// slope that Newton's method could use.
  WayOut climbed(WayOut best) const {
    double step = 1e-2;
    constexpr int most_climbs = 200;
    for (int i = 0; i < most_climbs && step > 1e-12; ++i) {
      const Vec3 t = best.n.unitOrthogonal(), u = best.n.cross(t);
      const double from = best.gap;
      for (int k = 0; k < 8 && !(best.gap > from); ++k) {
        constexpr double diagonal = 0.70710678118654752;
        constexpr double compass[8] = {1, diagonal, 0, -diagonal, -1, -diagonal, 0, diagonal};
        const Vec3 beside = best.n + step * (compass[k] * t + compass[(k + 6) % 8] * u);
        const WayOut way = evaluate(beside.normalized());
        if (way.gap > best.gap) best = way;
      }
      step *= best.gap > from ? 1.5 : 0.5;
    }
    return best;
  }

  Vec3 normal_at_exit(const WayOut& way) const {
    return gap_at_exit(difference_, way.n, way.gap, scale_).normal;
  }

 private:
  /// Whether the gap along n may be so large: any point of B − A is at least as high as its lowest.
  bool may_reach(const Vec3& n, double gap) const {
    for (const Vec3& w : corners_)
      if (n.dot(w) < gap) return false;
    return true;
  }

  /// Where F(m) = m would be if F were linear in the tangent plane.
  Vec3 newton(const WayOut& from, const Vec3& here) const {
    const Vec3 t = from.n.unitOrthogonal(), u = from.n.cross(t);
    constexpr double small = 1e-3;  // directions are known to about its square
    Eigen::Matrix2d slope;
    const Eigen::Vector2d residual(here.dot(t), here.dot(u));
    for (int k = 0; k < 2; ++k) {
      const WayOut beside = evaluate((from.n + small * (k ? u : t)).normalized());
      const Vec3 there = normal_at_exit(beside) - beside.n;
      slope(0, k) = (there.dot(t) - residual.x()) / small;
      slope(1, k) = (there.dot(u) - residual.y()) / small;
    }
    // Along a ring of equally good directions the slope is 0: least squares takes no step there.
    const Eigen::Vector2d move =
        -(slope.transpose() * slope + 1e-12 * Eigen::Matrix2d::Identity()).inverse() *
        (slope.transpose() * residual);
    if (!(move.norm() < 0.5)) return from.n;
    return (from.n + move.x() * t + move.y() * u).normalized();
  }

  const Difference& difference_;
  double scale_;
  std::array<Vec3, 14> corners_;  // points of B − A, all around
};

constexpr double clearance = 1e-3;
constexpr int most_steps_of_polish = 30;

}  // namespace

CoreGap gap_at_exit(const Difference& difference, const Vec3& n, double gap, double scale) {
  Difference freed = difference;
  freed.shift += (clearance * scale - gap) * n;
  CoreGap opened{n, 0, Vec3::Zero(), 0};
  Simplex simplex;
  double size = 0;
  gap_apart(freed, std::numeric_limits<double>::infinity(), opened, simplex, size);
  return opened;
}

// Of bodies that are apart, the gap has one peak over the directions, and steps go up to it. Points
// of both bodies that are no farther from each other show that they have got there.
bool polish_apart(const Difference& difference, double scale, CoreGap& best) {
  constexpr double trusted = 1e-11;
  const Polisher polisher(difference, scale);
  CoreGap tried = best;
  try_normals(difference, tried);
  WayOut way = polisher.evaluate(tried.normal);
  for (int i = 0; i < most_steps_of_polish && way.gap > 0; ++i) {
    const CoreGap opened = gap_at_exit(difference, way.n, way.gap, scale);
    const Vec3 between = opened.gap * opened.normal - (clearance * scale - way.gap) * way.n;
    const double upper = between.norm();
    if (upper - way.gap <= trusted * scale) {
      best = {way.n, way.gap, opened.on_a, std::max(0.0, upper - way.gap)};
      return true;
    }
    const WayOut next = polisher.step(way);
    if (!(next.gap > way.gap)) return false;
    way = next;
  }
  return false;
}

void polish(const Difference& difference, double scale, std::span<const Vec3> starts,
            CoreGap& best) {
  const Polisher polisher(difference, scale);
  // A body in the middle of another one can leave it at either side nearly as well.
  try_normals(difference, best);
  WayOut way = polisher.evaluate(best.normal);
  const auto improve = [&](WayOut from) {
    for (int i = 0; i < most_steps_of_polish; ++i) {
      const WayOut next = polisher.step(from);
      const double gained = next.gap - from.gap;
      from = next;
      if (!(gained > 1e-14 * scale)) break;
    }
    if (from.gap > way.gap) way = from;
  };
  // One step from every start shows which of them are worth more.
  constexpr int most_improved = 8;
  WayOut good[most_improved];
  int count = 0;
  for (const Vec3& start : starts) {
    const WayOut other = polisher.evaluate(polisher.normal_at_exit(polisher.evaluate(start)));
    int at = count < most_improved ? count++ : most_improved;
    for (; at > 0 && other.gap > good[at - 1].gap; --at)
      if (at < most_improved) good[at] = good[at - 1];
    if (at < most_improved) good[at] = other;
  }
  improve(way);
  for (int i = 0; i < count; ++i) improve(good[i]);
  for (int i = 0; i < 4; ++i) {
    const WayOut next = polisher.turned(way);
    if (!(next.gap > way.gap)) break;
    improve(next);
  }
  way = polisher.climbed(way);
  if (!(way.gap >= best.gap)) return;
  best.normal = way.n;
  best.gap = way.gap;
  best.on_a = gap_at_exit(difference, way.n, way.gap, scale).on_a;
}

}  // namespace taut::collision::detail
