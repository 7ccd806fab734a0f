// What the two precisions of first_contact.hpp share.
#pragma once

#include <array>

#include "taut/collision/first_contact.hpp"
#include "taut/collision/nearest.hpp"

namespace taut::collision::detail {

/// Four points that move, in two convex features.
struct MovingPair {
  std::array<Vec3, 4> from, to;
  bool is_edges;  ///< points 0, 1 and 2, 3; else 0 and 1, 2, 3
  double separation;

  int difference_count() const { return is_edges ? 4 : 3; }
  /// The k-th difference is of these points.
  std::size_t first(std::size_t k) const { return is_edges ? k / 2 : 0; }
  std::size_t second(std::size_t k) const { return is_edges ? 2 + k % 2 : 1 + k; }
  Nearest nearest(const std::array<Vec3, 4>& x) const {
    return is_edges ? edge_edge(x) : point_triangle(x);
  }
  /// Across the triangle, or both edges, on the side of n; 0 where there is no such direction.
  Vec3 perpendicular(const std::array<Vec3, 4>& x, const Vec3& n) const {
    const Vec3 across =
        is_edges ? (x[1] - x[0]).cross(x[3] - x[2]) : (x[2] - x[1]).cross(x[3] - x[1]);
    return across.dot(n) < 0 ? Vec3(-across) : across;
  }
};

/// The times at which a direction separates.
struct SeparatingTimes {
  double from = 0, to = 1;
  bool contain(double t) const { return from <= t && to > t; }
};

/// Goes on from time t where features are apart by less than what double can tell: by directions
/// of 106 bits.
FirstContact first_contact_wide(const MovingPair& pair, double t, int steps);

}  // namespace taut::collision::detail
