#include "taut/collision/first_contact.hpp"

#include <algorithm>
#include <cmath>

#include "taut/collision/first_contact_internal.hpp"

// Directions that separate.
//
// Let a_i be the points of the first feature and b_j those of the second: 1 and 3, or 2 and 2. Both
// features are convex hulls of their points, so their distance at time t is above δ if there is a
// direction n with
//   n·(a_i(t) − b_j(t)) > δ|n|   for all i, j.                                               (1)
// For a fixed n each of these is linear in t: (1 − t) n·A + t n·B, with A = a_i − b_j at the start
// and B at the end. So n separates for all t of an interval, which is found by solving a few
// linear equations. Intervals of several directions that together cover [0, 1] prove that nothing
// was hit. The search begins with n along the nearest points at t = 0, goes to the end of its
// interval, takes the nearest points there, and so on. This is Newton's method for distance(t) = δ
// from the left, as (1) is exact to first order at the time n belongs to: it is quick at hits, and
// done in one step where the features slide along each other or part.
//
// Nothing is asked of n: a bad one has a short interval. The proof stands on (1) alone, whose
// rounding errors are easily bounded. With u = 2⁻⁵³,
//   A = fl(a − b) has relative errors of at most u in each coordinate, being one subtraction;
//   fl(n·A): each product has passed one more rounding, and at most two of additions; together
//   |fl(n·A) − n·A| ≤ ((1+u)⁴ − 1) Σ|n_k A_k| < 5u Σ|n_k A_k|, plus underflow, < 10⁻³⁰⁰.
// The sum on the right is itself computed, with relative errors below 4u: 8u = 2⁻⁵⁰ covers both,
// and the one rounding of taking it away again. (This would not suffer from a fused multiplication,
// which rounds less.) δ|n| is taken larger by 2⁻⁵⁰, for the errors of norm, product and comparison.
// With lower bounds f_A, f_B of the two sides of (1) less δ|n|, f(t) = (1 − t) f_A + t f_B > 0 is
// sufficient. f_A − δ|n| is one subtraction: its sign is exact, its relative error u. Where the
// signs differ, the root is |f_A|/(|f_A| + |f_B|), a quotient of sums of positive numbers: relative
// error at most 4u; it is taken earlier (or, where f grows, later) by 2⁻⁵⁰ of itself.
//
// Features that turn while they are very near need many such steps. There, a direction that moves
// along, n(t), from n_0 at time r to n_1 at time s, separates for longer: n(t)·(a_i − b_j)(t) is
// quadratic, and is between the least and the greatest of its Bernstein coefficients
//   n_0·D(r), ½(n_0·D(s) + n_1·D(r)), n_1·D(s),
// and |n(t)| ≤ max(|n_0|, |n_1|). D(r) = (1 − r) A + r B takes three more roundings: 2⁻⁴⁹ is
// enough.
//
// With a separation of 0, features may be apart by less than double can tell; there
// first_contact_wide.cpp goes on with more digits.
//
// Comparisons are such that a NaN ends in a hit.

namespace taut::collision {
namespace {

using detail::MovingPair;
using detail::SeparatingTimes;

constexpr double rounding_slack = 0x1p-50;
constexpr double least_number = 1e-300;
constexpr int most_directions = 64;
constexpr int plain_steps = 4;       // before directions that move are tried
constexpr double least_step = 1e-9;  // of the motion
constexpr double longer = 16;        // how much farther a direction that moves is hoped to reach

/// a_i − b_j at both ends of the motion.
struct Differences {
  std::array<Vec3, 4> start, end;
  std::size_t count = 0;
};

Differences differences(const MovingPair& pair) {
  Differences d;
  d.count = static_cast<std::size_t>(pair.difference_count());
  for (std::size_t k = 0; k < d.count; ++k) {
    d.start[k] = pair.from[pair.first(k)] - pair.from[pair.second(k)];
    d.end[k] = pair.to[pair.first(k)] - pair.to[pair.second(k)];
  }
  return d;
}

double size_of_product(const Vec3& n, const Vec3& x) {
  return std::abs(n[0] * x[0]) + std::abs(n[1] * x[1]) + std::abs(n[2] * x[2]);
}

/// When n separates.
SeparatingTimes separating(const Differences& d, const Vec3& n, double separation) {
  const double least = separation * n.norm() * (1 + rounding_slack);
  SeparatingTimes times;
  for (std::size_t k = 0; k < d.count; ++k) {
    const auto bound = [&](const Vec3& x) {
      return n.dot(x) - (rounding_slack * size_of_product(n, x) + least_number) - least;
    };
    const double first = bound(d.start[k]), last = bound(d.end[k]);
    if (first > 0 && last > 0) continue;
    if (first > 0 && last <= 0) {
      times.to = std::min(times.to, first / (first - last) * (1 - rounding_slack));
    } else if (first <= 0 && last > 0) {
      times.from =
          std::max(times.from, first / (first - last) * (1 + rounding_slack) + least_number);
    } else {
      times.to = -1;
    }
  }
  return times;
}

/// Whether the direction that goes from n at time r to m at time s separates all the while.
bool separates_moving(const Differences& d, const Vec3& n, double r, const Vec3& m, double s,
                      double separation) {
  const double least = separation * std::max(n.norm(), m.norm()) * (1 + rounding_slack);
  const auto bound = [](const Vec3& direction, const Vec3& a, const Vec3& b, double t) {
    const double value = (1 - t) * direction.dot(a) + t * direction.dot(b);
    const double size = (1 - t) * size_of_product(direction, a) + t * size_of_product(direction, b);
    return value - (2 * rounding_slack * size + least_number);
  };
  for (std::size_t k = 0; k < d.count; ++k) {
    const Vec3 &a = d.start[k], &b = d.end[k];
    if (!(bound(n, a, b, r) > least && bound(m, a, b, s) > least &&
          0.5 * (bound(n, a, b, s) + bound(m, a, b, r)) * (1 - rounding_slack) > least))
      return false;
  }
  return true;
}

FirstContact first_contact(const MovingPair& pair) {
  const Differences d = differences(pair);
  // Seen from the first point: what all have in common is no motion.
  std::array<Vec3, 4> start, end;
  for (std::size_t k = 0; k < 4; ++k) {
    start[k] = pair.from[k] - pair.from[0];
    end[k] = pair.to[k] - pair.to[0];
  }
  std::array<Vec3, 4> x;
  const auto go_to = [&](double time) {
    for (std::size_t k = 0; k < 4; ++k) x[k] = (1 - time) * start[k] + time * end[k];
    return pair.nearest(x).normal;
  };
  FirstContact contact;
  double t = 0;
  while (contact.steps < most_directions) {
    ++contact.steps;
    Vec3 n = go_to(t);
    SeparatingTimes times = separating(d, n, pair.separation);
    if (times.contain(t) && times.to >= 1) return contact;
    // What slides in over an edge turns its nearest points at once, but not the perpendicular.
    const Vec3 across = pair.perpendicular(x, n);
    const SeparatingTimes other = separating(d, across, pair.separation);
    if (other.contain(t) && !(times.contain(t) && times.to >= other.to)) {
      times = other;
      n = across;
    }
    if (!times.contain(t)) break;
    if (times.to >= 1) return contact;
    double reached = times.to;
    if (contact.steps > plain_steps) {
      const double hoped = std::min(1.0, t + longer * (times.to - t));
      if (separates_moving(d, n, t, go_to(hoped), hoped, pair.separation)) reached = hoped;
    }
    const bool is_short = reached - t < least_step;
    t = reached;
    if (t >= 1) return contact;
    if (is_short) break;
  }
  contact.hit = true;
  contact.t = t;
  double size = 0;
  for (std::size_t k = 0; k < 4; ++k)
    size = std::max({size, start[k].cwiseAbs().maxCoeff(), end[k].cwiseAbs().maxCoeff()});
  constexpr double tells = 1e-13;  // what double can tell
  return pair.separation < tells * size ? detail::first_contact_wide(pair, t, contact.steps)
                                        : contact;
}

}  // namespace

FirstContact point_triangle_contact(const std::array<Vec3, 4>& from, const std::array<Vec3, 4>& to,
                                    double separation) {
  return first_contact({from, to, false, separation});
}

FirstContact edge_edge_contact(const std::array<Vec3, 4>& from, const std::array<Vec3, 4>& to,
                               double separation) {
  return first_contact({from, to, true, separation});
}

bool stay_apart(const std::array<Vec3, 4>& from, const std::array<Vec3, 4>& to, bool is_edges,
                double separation) {
  const Differences d = differences({from, to, is_edges, separation});
  Vec3 between = Vec3::Zero();
  for (std::size_t k = 0; k < d.count; ++k) between += d.start[k] + d.end[k];
  const SeparatingTimes times = separating(d, between, separation);
  return times.contain(0) && times.to >= 1;
}

}  // namespace taut::collision
