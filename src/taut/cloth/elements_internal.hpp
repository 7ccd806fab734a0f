// What of a cloth keeps its shape, beside the yarns of cloth.cpp and nonconforming elements.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "taut/cloth/cloth_material.hpp"
#include "taut/model/mesh.hpp"
#include "taut/model/system.hpp"

namespace taut::cloth {

/// No triangle gets longer than by the material's stretch_limit along warp or weft; quadrilaterals
/// count as two triangles. Those whose vertices are all held together have no rows. `bodies` are
/// the vertices, `held` as in add_cloth().
void limit_strain(System& system, const Mesh& mesh, const ClothMaterial& material,
                  const std::string& name, std::span<const BodyId> bodies,
                  std::span<const int> held);

}  // namespace taut::cloth
