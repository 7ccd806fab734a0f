#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <limits>
#include <span>

#include "taut/mesh/mesh_file.hpp"
#include "taut/text/at.hpp"
#include "taut/text/whole_file.hpp"

namespace taut::io {
namespace {

/// On one line whatever it is called.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '_');
  return text;
}

/// What a float can hold: a state that runs away is still one that can be read.
template <class Real>
Real rounded(double value) {
  constexpr double largest = std::numeric_limits<Real>::max();
  return static_cast<Real>(std::clamp(value, -largest, largest));
}

/// Collects what is small and writes what is large.
class Output {
 public:
  explicit Output(const std::filesystem::path& path) : file_(path) {}

  fmt::memory_buffer& buffer() {
    constexpr std::size_t enough = 1 << 16;
    if (buffer_.size() > enough) flush();
    return buffer_;
  }
  template <class... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(buffer()), format, std::forward<Values>(values)...);
    buffer_.push_back('\n');
  }
  template <class T>
  void bytes(T value, bool is_little) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    if (is_little != (std::endian::native == std::endian::little))
      std::reverse(raw, raw + sizeof(T));
    buffer().append(raw, raw + sizeof(T));
  }
  void finish() {
    flush();
    file_.finish();
  }

 private:
  void flush() {
    file_.write({buffer_.data(), buffer_.size()});
    buffer_.clear();
  }
  io::WholeFile file_;
  fmt::memory_buffer buffer_;
};

template <class Real>
void write_obj(Output& out, const Mesh& mesh, const MeshStyle& style) {
  if (!style.comment.empty()) out.line("# {}", one_line(style.comment));
  for (const Vec3& v : mesh.vertices)
    out.line("v {} {} {}", rounded<Real>(v.x()), rounded<Real>(v.y()), rounded<Real>(v.z()));
  auto part = style.parts.begin();
  for (std::size_t i = 0; i < mesh.faces.size(); ++i) {
    for (; part != style.parts.end() && part->first_face <= i; ++part)
      out.line("o {}", one_line(part->name));
    const auto& v = mesh.faces[i].vertex;
    if (mesh.faces[i].size() == 3)
      out.line("f {} {} {}", v[0] + 1, v[1] + 1, v[2] + 1);
    else
      out.line("f {} {} {} {}", v[0] + 1, v[1] + 1, v[2] + 1, v[3] + 1);
  }
}

template <class Real>
void write_ply(Output& out, const Mesh& mesh, const MeshStyle& style) {
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
      out.line("{} {}", face.size(), fmt::join(vertices, " "));
    } else {
      out.bytes(static_cast<std::uint8_t>(face.size()), is_little);
      for (const int vertex : vertices) out.bytes(vertex, is_little);
    }
  }
}

}  // namespace

void write_mesh(const std::filesystem::path& path, const Mesh& mesh, const MeshStyle& style) {
  const MeshFormat format = mesh_format(path);
  Output out(path);
  if (format == MeshFormat::obj)
    style.double_precision ? write_obj<double>(out, mesh, style)
                           : write_obj<float>(out, mesh, style);
  else
    style.double_precision ? write_ply<double>(out, mesh, style)
                           : write_ply<float>(out, mesh, style);
  out.finish();
}

}  // namespace taut::io
