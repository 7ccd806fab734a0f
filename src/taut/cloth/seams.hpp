// Meshes from other programs often have several vertices at one place, where pieces of a texture
// meet. To the eye they are joined. As cloth they would fall apart.
#pragma once

#include <optional>
#include <utility>

#include "taut/model/mesh.hpp"

namespace taut {

/// Two vertices that are at the same place, to 10⁻⁴ of the shortest edge; none if there are none.
std::optional<std::pair<int, int>> find_seam(const Mesh& mesh);

}  // namespace taut
