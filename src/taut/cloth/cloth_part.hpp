// A cloth cut into parts, for several processes: each owns some vertices, and knows those around
// them that its forces and constraints depend on.
#pragma once

#include <span>
#include <vector>

#include "taut/model/mesh.hpp"

namespace taut {

/// One part, with the faces around the vertices that it owns.
struct ClothPart {
  Mesh mesh;
  std::vector<int> vertex;  ///< per vertex: its number in the whole cloth, ascending
  std::vector<int> owner;   ///< per vertex: the part that owns it
  std::vector<int> face;    ///< per face: its number in the whole cloth, ascending
  int whole_vertices = 0, whole_faces = 0;
};

/// Divides places among `parts`, as many to each, by recursive bisection: across the longest axis
/// of the box around them. Returns the part of each.
std::vector<int> divide(std::span<const Vec3> places, int parts);

/// How many faces around its vertices a part needs to know: bending at a neighbour reaches one
/// vertex further, and where triangles are read in pairs each of these is two faces.
int faces_around(const Mesh& mesh);

/// The part of a mesh that `owner`, the part of each vertex, gives to number `part`, and so many
/// faces around it.
ClothPart part_of(const Mesh& mesh, std::span<const int> owner, int part, int faces);

}  // namespace taut
