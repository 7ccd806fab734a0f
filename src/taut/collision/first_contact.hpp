// When do a point and a triangle, or two edges, first come near each other, if their four points
// move on straight lines, x(t) = (1 − t) from + t to?
//
// The answer may be too early and is never too late: for all times up to `t` their distance is
// above `separation`, whatever rounding errors do. The argument is in first_contact.cpp.
#pragma once

#include <array>

#include "taut/base/types.hpp"

namespace taut::collision {

struct FirstContact {
  bool hit = false;
  double t =
      1;  ///< the distance is above `separation` for all times before; of a hit at 0: not known
  int steps = 0;  ///< directions that were tried
};

/// `separation` ≥ 0. Points in the order of collision/nearest.hpp. What begins nearer hits at once,
/// and so does what is not finite.
FirstContact point_triangle_contact(const std::array<Vec3, 4>& from, const std::array<Vec3, 4>& to,
                                    double separation);
FirstContact edge_edge_contact(const std::array<Vec3, 4>& from, const std::array<Vec3, 4>& to,
                               double separation);

/// Whether one direction, that between their middles, shows that they stay farther apart than this
/// all the way: of most that are not near it does, at a fraction of the cost. False proves nothing.
bool stay_apart(const std::array<Vec3, 4>& from, const std::array<Vec3, 4>& to, bool is_edges,
                double separation);

}  // namespace taut::collision
