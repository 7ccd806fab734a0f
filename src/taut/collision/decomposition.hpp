// Convex pieces of the body that a mesh encloses, so that the body can move and touch others.
//
// The body is cut by planes. Each part is replaced with its convex hull, which fills hollows: the
// *concavity* of a piece is how far its points can be from the body. Parts are cut until that is
// small enough, and pieces that are convex together are joined again. The bound is proved, not
// sampled. A slot that is narrower than twice the concavity may be closed.
//
// It takes seconds: meant to be done once and kept.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "taut/collision/shape.hpp"

namespace taut::collision {

struct DecompositionOptions {
  int pieces = 32;          ///< at most; where they do not suffice, concavity gets larger
  double concavity = 0.02;  ///< at most, relative to the largest side of the bounding box
};

struct Decomposition {
  std::vector<Shape> pieces;  ///< hulls in the frame of the mesh
  double reaches_out = 0;     ///< no point of a piece is farther than this from the body, m
  double sticks_out = 0;      ///< no point of the body is farther than this from the pieces, m
  double volume = 0;          ///< of the pieces, m³
  double body_volume = 0;     ///< m³; 0 if the mesh is not closed
  std::vector<std::string> repairs;  ///< what was wrong with the mesh, and what was done
  /// The surface of the body, repaired; closed or not.
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;

  double size() const;  ///< the largest side of the bounding box
};

/// Throws Error for a mesh without triangles, with vertices that are not finite or not there, or
/// without extent. Other faults are repaired: vertices at one place are joined, triangles without
/// area or in the wrong order are put right. Of a surface with holes, the body is where most
/// directions end at the surface's back (winding number above 1/2); a part that is flat gets a
/// thickness of the concavity.
Decomposition decompose(std::span<const Vec3> vertices,
                        std::span<const std::array<int, 3>> triangles,
                        const DecompositionOptions& options = {});

/// A compound of the pieces. It keeps the closed surface, for drawing and for mass_properties().
Shape moving_mesh(const Decomposition& decomposition);

}  // namespace taut::collision
