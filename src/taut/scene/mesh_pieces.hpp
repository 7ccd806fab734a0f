// Convex pieces of meshes, kept on disk: cutting takes seconds, reading does not.
//
// The files are in the folder taut/pieces of $XDG_CACHE_HOME, or of ~/.cache. Their names are made
// from what the mesh contains and from the options, so a changed mesh is cut anew. Deleting them
// does no harm. Where the folder cannot be written, nothing is kept.
#pragma once

#include <filesystem>
#include <optional>

#include "taut/collision/decomposition.hpp"
#include "taut/model/mesh.hpp"

namespace taut::io {

/// Quadrilaterals are divided from their first vertex.
std::vector<std::array<int, 3>> triangles_of(const Mesh& mesh);

/// Like collision::decompose(), from the cache if it is there.
collision::Decomposition mesh_pieces(const Mesh& mesh,
                                     const collision::DecompositionOptions& options);

/// Where the pieces of a mesh are kept; none if there is no such folder.
std::optional<std::filesystem::path> pieces_file(const Mesh& mesh,
                                                 const collision::DecompositionOptions& options);

}  // namespace taut::io
