// PLY files: vertices with x, y, z of any type of number, faces with a list vertex_indices (or
// vertex_index), each with other properties as well; other elements are skipped.
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "taut/base/error.hpp"
#include "taut/mesh/mesh_internal.hpp"
#include "taut/mesh/mesh_output_internal.hpp"
#include "taut/mesh/mesh_ply_internal.hpp"
#include "taut/text/at.hpp"

namespace taut::io::detail {
namespace {

class PlyReader {
 public:
  PlyReader(std::string_view content, const std::string& origin)
      : origin_(origin),
        header_(parse_ply_header(content, origin)),
        values_(content, header_, origin) {}

  Mesh read() {
    for (const PlyElement& element : header_.elements) {
      values_.element(element, 0);
      if (!values_.can_hold(element))
        fail(fmt::format("found fewer than the {} elements {} of the header", element.count,
                         in_quotes(element.name)));
      if (element.name == "vertex")
        read_vertices(element);
      else if (element.name == "face")
        read_faces(element);
      else
        skip(element);
    }
    values_.require_end();
    check_faces();
    return std::move(mesh_);
  }

 private:
  void read_vertices(const PlyElement& element) {
    std::array<int, 3> place{};
    for (int axis = 0; axis < 3; ++axis) {
      const std::string name(1, "xyz"[axis]);
      place[static_cast<std::size_t>(axis)] = element.find(name);
      const int found = element.find(name);
      if (found < 0 || element.properties[static_cast<std::size_t>(found)].count_type)
        fail(fmt::format("found no number {} of vertices, expected x, y and z", name));
    }
    if (element.count > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
      fail(fmt::format("found {} vertices, expected at most 2147483647", element.count));
    mesh_.vertices.reserve(element.count);
    for (std::uint64_t i = 0; i < element.count; ++i) {
      values_.element(element, i);
      Vec3 vertex;
      for (std::size_t p = 0; p < element.properties.size(); ++p) {
        const PlyProperty& property = element.properties[p];
        const int number = static_cast<int>(p);
        const int axis = number == place[0]   ? 0
                         : number == place[1] ? 1
                         : number == place[2] ? 2
                                              : -1;
        if (axis < 0) {
          values_.skip(property);
          continue;
        }
        vertex[axis] = values_.number(property);
        if (!std::isfinite(vertex[axis]))
          values_.fail(fmt::format("found {} for {}, expected a finite number", vertex[axis],
                                   property.name));
      }
      mesh_.vertices.push_back(vertex);
    }
  }

  void read_faces(const PlyElement& element) {
    int place = element.find("vertex_indices");
    if (place < 0) place = element.find("vertex_index");
    if (place < 0) fail("found no property vertex_indices of faces, expected a list of that name");
    const PlyProperty& list = element.properties[static_cast<std::size_t>(place)];
    if (!list.count_type || !is_whole(list.type))
      fail(fmt::format("found {} that is no list of whole numbers, expected one", list.name));
    mesh_.faces.reserve(element.count);
    for (std::uint64_t i = 0; i < element.count; ++i) {
      values_.element(element, i);
      for (const PlyProperty& property : element.properties) {
        if (&property == &list)
          read_face(property);
        else
          values_.skip(property);
      }
    }
  }

  void read_face(const PlyProperty& property) {
    const std::uint64_t count = values_.list_size(property);
    if (const std::string wrong = wrong_face_size(count); !wrong.empty()) values_.fail(wrong);
    Face face;
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::int64_t vertex = values_.whole(property, property.type);
      if (vertex < 0 || vertex > std::numeric_limits<int>::max())
        values_.fail(fmt::format("found vertex {}, expected numbers from 0 on", vertex));
      face.vertex[k] = static_cast<int>(vertex);
    }
    mesh_.faces.push_back(face);
  }

  /// When all vertices are known: faces may come before them.
  void check_faces() const {
    for (std::size_t i = 0; i < mesh_.faces.size(); ++i) {
      const Face& face = mesh_.faces[i];
      const std::array<std::int64_t, 4> vertices{face.vertex[0], face.vertex[1], face.vertex[2],
                                                 face.vertex[3]};
      const std::string wrong =
          wrong_face(vertices.data(), static_cast<std::size_t>(face.size()), mesh_.vertices.size());
      if (!wrong.empty()) fail(fmt::format("face {}: {}", i, wrong));
    }
  }

  void skip(const PlyElement& element) {
    if (element.properties.empty()) return;
    for (std::uint64_t i = 0; i < element.count; ++i) {
      values_.element(element, i);
      for (const PlyProperty& property : element.properties) values_.skip(property);
    }
  }

  [[noreturn]] void fail(std::string_view message) const {
    throw Error(fmt::format("{}: {}", shown_file(origin_), message));
  }

  const std::string& origin_;
  PlyHeader header_;
  PlyValues values_;
  Mesh mesh_;
};

Mesh parse_ply(std::string_view content, const std::string& origin) {
  return PlyReader(content, origin).read();
}

template <class Real>
void write_ply(MeshOutput& out, const Mesh& mesh, const MeshStyle& style) {
  constexpr std::string_view encodings[] = {"ascii", "binary_little_endian", "binary_big_endian"};
  out.line("ply");
  out.line("format {} 1.0", encodings[static_cast<std::size_t>(style.ply)]);
  if (!style.comment.empty()) out.line("comment {}", one_line(style.comment));
  for (const MeshPart& part : style.parts)
    out.line("comment from face {} on: {}", part.first_face, one_line(part.name));
  out.line("element vertex {}", mesh.vertices.size());
  for (const char axis : {'x', 'y', 'z'})
    out.line("property {} {}", sizeof(Real) == 8 ? "double" : "float", axis);
  out.line("element face {}", mesh.faces.size());
  out.line("property list uchar int vertex_indices");
  out.line("end_header");

  const bool is_text = style.ply == PlyEncoding::ascii;
  const bool is_little = style.ply == PlyEncoding::binary_little_endian;
  for (const Vec3& v : mesh.vertices) {
    if (is_text)
      out.line("{} {} {}", rounded<Real>(v.x()), rounded<Real>(v.y()), rounded<Real>(v.z()));
    else
      for (const double value : v) out.bytes(rounded<Real>(value), is_little);
  }
  for (const Face& face : mesh.faces) {
    const std::span<const int> vertices(face.vertex.data(), static_cast<std::size_t>(face.size()));
    if (is_text) {
      std::string numbers;
      for (const int vertex : vertices) numbers += fmt::format(" {}", vertex);
      out.line("{}{}", face.size(), numbers);
    } else {
      out.bytes(static_cast<std::uint8_t>(face.size()), is_little);
      for (const int vertex : vertices) out.bytes(vertex, is_little);
    }
  }
}

}  // namespace

MeshFormat ply_format() {
  return {"ply", "Stanford PLY: binary, or text; parts are named in comments", parse_ply,
          [](MeshOutput& out, const Mesh& mesh, const MeshStyle& style) {
            style.double_precision ? write_ply<double>(out, mesh, style)
                                   : write_ply<float>(out, mesh, style);
          }};
}

}  // namespace taut::io::detail
