// The formats of meshes, and what their readers share.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "taut/mesh/mesh_file.hpp"

namespace taut::io::detail {

MeshFormat obj_format();
MeshFormat ply_format();
MeshFormat stl_format();

/// The line, from 1 on, in which `offset` is. Lines end as in OBJ files: \n, \r\n or \r.
long line_of(std::string_view text, std::size_t offset);

/// "" for a face that a surface can have, of vertices numbered from 0; else what was found, and
/// what was expected.
std::string wrong_face(const std::int64_t* vertices, std::size_t count, std::size_t vertex_count);
std::string wrong_face_size(std::size_t count);

/// Throws Error for a mesh that is no surface.
void require_surface(const Mesh& mesh, const std::string& origin);

}  // namespace taut::io::detail
