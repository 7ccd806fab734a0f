// Surfaces: what cloth is made from, and what is drawn of it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "taut/base/types.hpp"
#include "taut/model/point.hpp"

namespace taut {

/// A triangle or a quadrilateral: numbers of its vertices, counter-clockwise seen from outside.
struct Face {
  std::array<int, 4> vertex{-1, -1, -1, -1};  ///< the last is −1 for a triangle

  int size() const { return vertex[3] < 0 ? 3 : 4; }
};

struct Mesh {
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
};

/// A mesh whose vertices are bodies of a system.
struct Surface {
  std::string name;
  std::vector<BodyId> vertices;
  std::vector<Face> faces;
};

}  // namespace taut
