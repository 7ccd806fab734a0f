#include <algorithm>
#include <cmath>

#include "taut/collision/first_contact_internal.hpp"
#include "taut/collision/wide_internal.hpp"

// The proof is that of first_contact.cpp, with u = 2⁻¹⁰⁰ per operation and differences that are
// exact.

namespace taut::collision::detail {
namespace {

constexpr double wide_slack = 0x1p-95;
constexpr double wide_underflow = 1e-290;  // errors of products that are below 2⁻¹⁰²² · 2¹⁰⁶
constexpr int most_wide_steps = 8;

struct WideDifferences {
  std::array<WideVec3, 4> start, end;
};

SeparatingTimes separating(const MovingPair& pair, const WideDifferences& d, const WideVec3& n) {
  const double length = std::sqrt(n[0].hi * n[0].hi + n[1].hi * n[1].hi + n[2].hi * n[2].hi);
  const double least = pair.separation * length * (1 + 0x1p-49);
  SeparatingTimes times;
  for (std::size_t k = 0; k < static_cast<std::size_t>(pair.difference_count()); ++k) {
    const auto bound = [&](const WideVec3& x) {
      const double size =
          std::abs(n[0].hi * x[0].hi) + std::abs(n[1].hi * x[1].hi) + std::abs(n[2].hi * x[2].hi);
      return dot(n, x) - sum_of(wide_slack * size + wide_underflow, least);
    };
    const Wide first = bound(d.start[k]), last = bound(d.end[k]);
    if (is_positive(first) && is_positive(last)) continue;
    if (is_positive(first) && last.hi <= 0) {
      const Wide root = first / (first - last);
      times.to = std::min(times.to, root.hi * (1 - 0x1p-50));
    } else if (first.hi <= 0 && is_positive(last)) {
      const Wide root = first / (first - last);
      times.from = std::max(times.from, root.hi * (1 + 0x1p-50) + wide_underflow);
    } else {
      times.to = -1;
    }
  }
  return times;
}

WideVec3 blend(const WideVec3& a, const WideVec3& b, double t) {
  return sum_of(1, -t) * a + Wide{t} * b;
}

/// From the second feature to the first, between their nearest points, of which the weights tell
/// in which part of the features they are.
WideVec3 nearest_direction(const MovingPair& pair, const std::array<WideVec3, 4>& x,
                           const std::array<double, 4>& weight) {
  std::array<std::size_t, 4> used{};
  std::size_t count = 0;
  for (std::size_t k = 0; k < 4; ++k)
    if (weight[k] != 0) used[count++] = k;
  if (count == 4)
    return pair.is_edges ? cross(x[1] - x[0], x[3] - x[2]) : cross(x[2] - x[1], x[3] - x[1]);
  if (count == 2) return x[used[0]] - x[used[1]];
  // A point, whose sign differs from both others, and an edge.
  std::size_t point = 0;
  for (std::size_t k = 0; k < 3; ++k)
    if (weight[used[k]] * weight[used[(k + 1) % 3]] < 0 &&
        weight[used[k]] * weight[used[(k + 2) % 3]] < 0)
      point = k;
  const WideVec3 &p = x[used[point]], &a = x[used[(point + 1) % 3]], &b = x[used[(point + 2) % 3]];
  const WideVec3 edge = b - a;
  const Wide length = dot(edge, edge);
  const Wide s = is_positive(length) ? dot(p - a, edge) / length : Wide{};
  const WideVec3 apart = p - (a + s * edge);
  return weight[used[point]] > 0 ? apart : -apart;
}

}  // namespace

FirstContact first_contact_wide(const MovingPair& pair, double t, int steps) {
  WideDifferences d;
  for (std::size_t k = 0; k < static_cast<std::size_t>(pair.difference_count()); ++k) {
    d.start[k] = difference(pair.from[pair.first(k)], pair.from[pair.second(k)]);
    d.end[k] = difference(pair.to[pair.first(k)], pair.to[pair.second(k)]);
  }
  FirstContact contact{true, t, steps};
  for (int step = 0; step < most_wide_steps; ++step) {
    ++contact.steps;
    std::array<WideVec3, 4> wide;
    std::array<Vec3, 4> x;
    for (std::size_t k = 0; k < 4; ++k) {
      wide[k] = blend(difference(pair.from[k], pair.from[0]), difference(pair.to[k], pair.to[0]),
                      contact.t);
      for (int axis = 0; axis < 3; ++axis) x[k][axis] = wide[k][static_cast<std::size_t>(axis)].hi;
    }
    // The nearest points, and, since rounding errors decide where those are, the common
    // perpendicular; both ways.
    const WideVec3 nearest = nearest_direction(pair, wide, pair.nearest(x).weight);
    const WideVec3 perpendicular = nearest_direction(pair, wide, {1, 1, 1, 1});
    double reached = contact.t;
    for (const WideVec3& n : {perpendicular, -perpendicular, nearest, -nearest}) {
      const SeparatingTimes times = separating(pair, d, n);
      if (times.contain(contact.t)) reached = std::max(reached, times.to);
      if (reached >= 1) break;
    }
    if (!(reached > contact.t)) break;
    contact.t = reached;
    if (reached >= 1) {
      contact.hit = false;
      break;
    }
  }
  return contact;
}

}  // namespace taut::collision::detail
