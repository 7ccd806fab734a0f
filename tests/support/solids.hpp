// Closed surfaces of triangles to test with.
#pragma once

#include <array>
#include <vector>

#include "taut/base/types.hpp"

namespace taut::testing {

struct Solid {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;

  void add(const Solid& other, const Vec3& at);
};

/// Three unit cubes high and wide, one thick: of 5 and of 7 cubes. The U is open above (+y).
Solid l_shape();
Solid u_shape();
/// About the z axis; a ball where R = 0.
Solid torus(double R, double r, int around, int across);

}  // namespace taut::testing
