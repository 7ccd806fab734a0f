// Cloth of nonconforming elements (English and Bridson 2008, Animating Developable Surfaces Using
// Nonconforming Elements): every triangle keeps its shape, and hangs together with its neighbours
// in the middles of its edges only.
//
// The particles are these middles. A triangle has three of them, at the corners of a triangle of
// half its size, and their distances are constraints. With V vertices there are about 3V middles
// and 2V triangles: 9V coordinates and 6V rows. So the sheet bends freely, while triangles that
// hang together in whole edges (3V coordinates, 3V rows) are locked.
//
// Corner a of the triangle a b c is where the middles say: m_ab + m_ca − m_bc. Triangles around a
// vertex agree on its place only as far as the sheet is smooth; it is drawn at the mean.
//
// What is held. A vertex is held by two triangles, on opposite sides of it, the mean of whose
// corners is at the pin. Where both ends of an edge are held by one pin, its middle is instead. Of
// an edge that has no such neighbours the way from end to end is held, too, in one of its triangles;
// in all triangles along a seam that would hold twice what they have in common.
#pragma once

#include <span>
#include <string>

#include "taut/cloth/cloth.hpp"

namespace taut::cloth {

/// Throws Error for a mesh that is no surface, or has faces that are no triangles.
Surface add_nonconforming(System& system, const Mesh& mesh, const ClothMaterial& material,
                          const std::string& name, std::span<const ClothPin> pins);

}  // namespace taut::cloth
