#include "taut/mesh/mesh_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "taut/base/error.hpp"
#include "taut/mesh/mesh_internal.hpp"
#include "taut/mesh/mesh_output_internal.hpp"
#include "taut/text/at.hpp"
#include "taut/text/json_text.hpp"

namespace taut::io {
namespace {

constexpr std::size_t largest_mesh_file = std::size_t{4} << 30;

}  // namespace

std::span<const MeshFormat> mesh_formats() {
  static const MeshFormat all[] = {
      detail::obj_format(),
      detail::ply_format(),
      detail::stl_format(),
  };
  return all;
}

const MeshFormat& find_mesh_format(std::string_view name) {
  std::vector<std::string_view> known;
  for (const MeshFormat& format : mesh_formats()) {
    if (format.name == name) return format;
    known.push_back(format.name);
  }
  throw Error(fmt::format("found {}, expected a format of meshes{}", in_quotes(std::string(name)),
                          suggestion(name, known)));
}

const MeshFormat& mesh_format(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::string known;
  for (const MeshFormat& format : mesh_formats()) {
    if (extension == fmt::format(".{}", format.name)) return format;
    known += fmt::format("{}.{}", known.empty() ? "" : " or ", format.name);
  }
  throw Error(fmt::format(
      "{}: found {}, expected a mesh: a file that ends in {}", shown_file(path.string()),
      extension.empty() ? "no extension" : "the extension " + in_quotes(extension), known));
}

Mesh read_mesh(const std::filesystem::path& path) {
  const MeshFormat& format = mesh_format(path);
  const std::string name = path.string();
  // What has no size, such as a device, would be read until the memory is full.
  std::error_code no_throw;
  if (std::filesystem::exists(path, no_throw) && !std::filesystem::is_directory(path, no_throw) &&
      !std::filesystem::is_regular_file(path, no_throw))
    throw Error(fmt::format("{}: found something that is not a file, expected a mesh",
                            io::shown_file(name)));
  return parse_mesh(io::read_text(name, "a mesh file", largest_mesh_file), format, name);
}

Mesh read_mesh(const std::string& name, const std::optional<std::string>& folder) {
  const std::filesystem::path path = name;
  if (path.is_absolute()) return read_mesh(path);
  if (!folder)
    throw Error(
        fmt::format("{}: found no folder to look for it in: only scenes in files can name meshes",
                    io::shown_file(name)));
  return read_mesh(std::filesystem::path(*folder) / path);
}

Mesh parse_mesh(std::string_view content, const MeshFormat& format, const std::string& origin) {
  Mesh mesh = format.parse(content, origin);
  detail::require_surface(mesh, origin);
  return mesh;
}

void write_mesh(const std::filesystem::path& path, const Mesh& mesh, const MeshStyle& style) {
  const MeshFormat& format = mesh_format(path);
  detail::MeshOutput out(path);
  format.write(out, mesh, style);
  out.finish();
}

namespace detail {

long line_of(std::string_view text, std::size_t offset) {
  long line = 1;
  for (std::size_t i = 0; i < std::min(offset, text.size()); ++i)
    if (text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')))
      ++line;
  return line;
}

std::string wrong_face_size(std::size_t count) {
  if (count == 3 || count == 4) return "";
  return fmt::format("found a face of {} {}, expected triangles and quadrilaterals", count,
                     count == 1 ? "vertex" : "vertices");
}

std::string wrong_face(const std::int64_t* vertices, std::size_t count, std::size_t vertex_count) {
  if (std::string wrong = wrong_face_size(count); !wrong.empty()) return wrong;
  for (std::size_t k = 0; k < count; ++k) {
    if (vertices[k] < 0 || static_cast<std::uint64_t>(vertices[k]) >= vertex_count)
      return fmt::format("found a face with vertex {}, expected one of the {} vertices",
                         vertices[k], vertex_count);
    for (std::size_t before = 0; before < k; ++before)
      if (vertices[before] == vertices[k])
        return fmt::format("found a face with vertex {} twice, expected different vertices",
                           vertices[k]);
  }
  return "";
}

void require_surface(const Mesh& mesh, const std::string& origin) {
  const char* missing = mesh.vertices.empty() ? "vertices" : mesh.faces.empty() ? "faces" : nullptr;
  if (missing)
    throw Error(fmt::format("{}: found no {}, expected a surface", shown_file(origin), missing));
}

}  // namespace detail
}  // namespace taut::io
