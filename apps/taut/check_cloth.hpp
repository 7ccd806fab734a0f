// Cloth that goes through itself, other cloth or shapes before anything has moved.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "taut/scene/scene.hpp"

namespace taut::cli {

/// An edge of a cloth and a face of a cloth, or of a mesh of the world, that have a point in
/// common.
struct TangledPair {
  std::string cloth;                ///< whose edge it is
  std::array<std::string, 2> edge;  ///< the ends
  std::string other;                ///< whose face it is
  std::array<std::string, 3> face;  ///< the corners
};
/// A cloth that is in a shape.
struct ClothInShape {
  std::string cloth, shape;
  int faces = 0;       ///< triangles of the cloth that reach into it
  double depth = 0;    ///< m, of the deepest point
  std::string vertex;  ///< a corner of the face that is deepest
};
struct ClothFaults {
  std::vector<TangledPair> tangled;
  std::vector<ClothInShape> inside;  ///< the deepest first

  bool empty() const { return tangled.empty() && inside.empty(); }
};

ClothFaults find_cloth_faults(const io::Scene& scene, const State& state);

std::vector<std::string> describe_tangled(const ClothFaults& faults);
std::vector<std::string> describe_inside(const ClothFaults& faults);

}  // namespace taut::cli
