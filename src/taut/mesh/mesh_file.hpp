// Meshes on disk: Wavefront OBJ, Stanford PLY and STL.
//
// The vertices keep the numbers they have in the file (STL has none), quadrilaterals stay
// quadrilaterals, and the objects and groups of a file make one mesh. Texture coordinates, normals
// and colours are ignored. A face with more than four vertices is refused: how to divide it is for
// whoever made it to say.
//
// A new format is one file that describes it as a MeshFormat, and one line in mesh_file.cpp.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "taut/model/mesh.hpp"

namespace taut::io {

enum class PlyEncoding { ascii, binary_little_endian, binary_big_endian };

/// The faces from `first_face` on, up to those of the next part.
struct MeshPart {
  std::string name;
  std::size_t first_face = 0;
};

struct MeshStyle {
  bool double_precision = false;  ///< else what reads back as the same float
  PlyEncoding ply = PlyEncoding::binary_little_endian;
  std::vector<MeshPart> parts = {};  ///< in order: objects of an OBJ file, comments of a PLY file
  std::string comment = {};
};

namespace detail {
class MeshOutput;
}

struct MeshFormat {
  std::string_view name;  ///< also the extension of its files
  std::string_view summary;
  /// Throws Error for content that is wrong; `origin` stands for the file in messages.
  Mesh (*parse)(std::string_view content, const std::string& origin);
  void (*write)(detail::MeshOutput& out, const Mesh& mesh, const MeshStyle& style);
};

std::span<const MeshFormat> mesh_formats();
/// By name. Throws Error, with the nearest name, if there is none.
const MeshFormat& find_mesh_format(std::string_view name);
/// By the extension, in upper or lower case. Throws Error for another one.
const MeshFormat& mesh_format(const std::filesystem::path& path);

/// Every vertex finite, every face with three or four different vertices that are there. Throws
/// Error with the place for all else.
Mesh read_mesh(const std::filesystem::path& path);
/// A mesh that a scene names: relative to the scene's folder. `folder` is empty for scenes that are
/// in no folder, which can have none.
Mesh read_mesh(const std::string& name, const std::optional<std::string>& folder);
/// The same from what a file contains; `origin` stands for the file in messages.
Mesh parse_mesh(std::string_view content, const MeshFormat& format, const std::string& origin);

/// In the format of the extension, under a temporary name first. Throws WriteError when it cannot.
void write_mesh(const std::filesystem::path& path, const Mesh& mesh, const MeshStyle& style = {});

}  // namespace taut::io
