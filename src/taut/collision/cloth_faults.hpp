// Cloth that goes through itself, other cloth or shapes, by name. Found by crossings.hpp, without
// any of the code that finds contacts.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "taut/model/mesh.hpp"
#include "taut/model/system.hpp"

namespace taut::collision {

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

/// `least`: m, what is less deep in a shape does not count.
ClothFaults find_cloth_faults(const System& system, std::span<const taut::Surface> cloths,
                              const Pose& pose, double least);

std::vector<std::string> describe_tangled(const ClothFaults& faults);
std::vector<std::string> describe_inside(const ClothFaults& faults);

}  // namespace taut::collision
