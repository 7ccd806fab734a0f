// The nearest points of a point and a triangle, and of two edges: what deforming surfaces are made
// of.
//
// The four points x_0 … x_3 have weights c_i, which add up to 0, such that the nearest points are
// apart by Σ c_i x_i = distance·normal. So Σ c_i v_i is how fast they part, and c_i·normal·f the
// force on each point: a row of the solve. The normal points from the second feature to the first,
// as that of model/contact.hpp: moving the first along it opens the gap.
//
// Points, edges and triangles without extent are all right: zero area, one point three times,
// parallel or equal edges. Where the features touch, the normal is that of the triangle or the
// common perpendicular of the edges, either sign; where there is none, some unit vector. Of points
// that are not finite the distance is NaN.
#pragma once

#include <array>

#include "taut/base/types.hpp"

namespace taut::collision {

struct Nearest {
  std::array<double, 4> weight{};  ///< 0 for points that have no part in it
  Vec3 normal = Vec3::UnitZ();
  double distance = 0;
};

/// x[0] and the triangle x[1] x[2] x[3].
Nearest point_triangle(const std::array<Vec3, 4>& x);
/// The edges x[0] x[1] and x[2] x[3]. Of parallel ones: the nearest points at an end of one.
Nearest edge_edge(const std::array<Vec3, 4>& x);
/// x[0] and the edge x[1] x[2]. The fourth weight is 0.
Nearest point_edge(const std::array<Vec3, 3>& x);

}  // namespace taut::collision
