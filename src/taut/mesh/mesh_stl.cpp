// STL files, binary and as text. A file lists triangles by the places of their corners: corners at
// the same place become one vertex, and triangles with two corners at one place, which have no
// area, are left out. Normals and colours are ignored: the order of the corners says what is
// outside.
#include <fmt/core.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include "taut/base/error.hpp"
#include "taut/mesh/mesh_internal.hpp"
#include "taut/mesh/mesh_output_internal.hpp"
#include "taut/text/at.hpp"

namespace taut::io::detail {
namespace {

constexpr std::size_t binary_head = 84, binary_triangle = 50;

/// Numbers corners, the same one for the same place.
class Corners {
 public:
  explicit Corners(Mesh& mesh) : mesh_(mesh) {}

  void add_triangle(const std::array<Vec3, 3>& corners) {
    Face face;
    for (std::size_t k = 0; k < 3; ++k) face.vertex[k] = number(corners[k]);
    const auto& v = face.vertex;
    if (v[0] != v[1] && v[1] != v[2] && v[2] != v[0]) mesh_.faces.push_back(face);
  }

 private:
  struct Hash {
    std::size_t operator()(const std::array<double, 3>& place) const {
      std::uint64_t sum = 0;
      for (const double x : place)
        sum = (sum ^ std::bit_cast<std::uint64_t>(x)) * 0x9e3779b97f4a7c15 + (sum >> 29);
      return static_cast<std::size_t>(sum ^ (sum >> 32));
    }
  };

  int number(const Vec3& corner) {
    // + 0.0: so that −0 is 0.
    const std::array<double, 3> place{corner.x() + 0.0, corner.y() + 0.0, corner.z() + 0.0};
    const auto [at, is_new] = numbers_.try_emplace(place, static_cast<int>(mesh_.vertices.size()));
    if (is_new) mesh_.vertices.push_back(corner);
    return at->second;
  }

  Mesh& mesh_;
  std::unordered_map<std::array<double, 3>, int, Hash> numbers_;
};

template <class T>
T little(const char* bytes) {
  T value;
  char raw[sizeof(T)];
  std::memcpy(raw, bytes, sizeof(T));
  if constexpr (std::endian::native != std::endian::little) std::reverse(raw, raw + sizeof(T));
  std::memcpy(&value, raw, sizeof(T));
  return value;
}

Mesh parse_binary(std::string_view content, const std::string& origin) {
  Mesh mesh;
  Corners corners(mesh);
  for (std::size_t at = binary_head; at < content.size(); at += binary_triangle) {
    std::array<Vec3, 3> triangle;
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::size_t place = at + 12 + 12 * k + 4 * axis;
        const double value = little<float>(content.data() + place);
        if (!std::isfinite(value))
          throw Error(fmt::format("{}: byte {}: found {}, expected a finite number",
                                  shown_file(origin), place, value));
        triangle[k][static_cast<Eigen::Index>(axis)] = value;
      }
    corners.add_triangle(triangle);
  }
  return mesh;
}

/// The words of the text form: solid … facet normal x y z outer loop vertex x y z (three times)
/// endloop endfacet … endsolid …
class StlText {
 public:
  StlText(std::string_view text, const std::string& origin) : text_(text), origin_(origin) {}

  Mesh parse() {
    Mesh mesh;
    Corners corners(mesh);
    expect("solid");
    skip_line();
    for (;;) {
      const std::string_view next = word();
      if (next == "endsolid") {
        skip_line();
        if (word().empty()) return mesh;
        throw_at("found more behind endsolid, expected the end of the file");
      }
      if (next != "facet") throw_found("facet or endsolid");
      expect("normal");
      for (int axis = 0; axis < 3; ++axis) number();
      expect("outer");
      expect("loop");
      std::array<Vec3, 3> triangle;
      for (Vec3& corner : triangle) {
        expect("vertex");
        for (double& x : corner) x = number();
      }
      expect("endloop");
      expect("endfacet");
      corners.add_triangle(triangle);
    }
  }

 private:
  std::string_view word() {
    constexpr std::string_view blanks = " \t\r\n";
    at_ = std::min(text_.find_first_not_of(blanks, at_), text_.size());
    const std::size_t end = std::min(text_.find_first_of(blanks, at_), text_.size());
    last_ = text_.substr(at_, end - at_);
    at_ = end;
    return last_;
  }
  void expect(std::string_view wanted) {
    if (word() != wanted) throw_found(wanted);
  }
  void skip_line() { at_ = std::min(text_.find_first_of("\r\n", at_), text_.size()); }
  double number() {
    std::string_view digits = word();
    if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
    double value = 0;
    const auto [stop, error] = std::from_chars(digits.begin(), digits.end(), value);
    if (error != std::errc{} || stop != digits.end() || !std::isfinite(value))
      throw_found("a finite number");
    return value;
  }
  [[noreturn]] void throw_found(std::string_view expected) const {
    throw_at(fmt::format("found {}, expected {}",
                         last_.empty() ? "the end of the file" : in_quotes(last_), expected));
  }
  [[noreturn]] void throw_at(std::string_view message) const {
    const auto offset = static_cast<std::size_t>(last_.data() - text_.data());
    throw Error(
        fmt::format("{}: line {}: {}", shown_file(origin_), line_of(text_, offset), message));
  }

  std::string_view text_;
  const std::string& origin_;
  std::size_t at_ = 0;
  std::string_view last_ = text_.substr(0, 0);
};

// Many binary files begin with "solid", too: their length tells.
Mesh parse_stl(std::string_view content, const std::string& origin) {
  const bool has_count = content.size() >= binary_head;
  const std::uint64_t count = has_count ? little<std::uint32_t>(content.data() + 80) : 0;
  if (has_count && content.size() == binary_head + count * binary_triangle)
    return parse_binary(content, origin);
  const std::size_t begin = std::min(content.find_first_not_of(" \t\r\n"), content.size());
  if (content.substr(begin).starts_with("solid")) return StlText(content, origin).parse();
  throw Error(
      has_count
          ? fmt::format("{}: byte 80: found {} triangles in a file of {} bytes, expected a binary "
                        "STL file of {}, or one that begins with \"solid\"",
                        shown_file(origin), count, content.size(),
                        binary_head + count * binary_triangle)
          : fmt::format("{}: found {} bytes, expected an STL file: \"solid\", or 84 bytes at least",
                        shown_file(origin), content.size()));
}

/// Binary, in single precision, which is all the format has.
void write_stl(MeshOutput& out, const Mesh& mesh, const MeshStyle&) {
  std::uint32_t count = 0;
  for (const Face& face : mesh.faces) count += face.size() == 4 ? 2 : 1;
  for (std::size_t i = 0; i < 80; ++i) out.bytes<char>(i < 4 ? "taut"[i] : ' ', true);
  out.bytes(count, true);
  const auto triangle = [&](int a, int b, int c) {
    const std::array<Vec3, 3> corner{mesh.vertices[static_cast<std::size_t>(a)],
                                     mesh.vertices[static_cast<std::size_t>(b)],
                                     mesh.vertices[static_cast<std::size_t>(c)]};
    const Vec3 normal = (corner[1] - corner[0]).cross(corner[2] - corner[0]).stableNormalized();
    for (const Vec3& vector : {normal, corner[0], corner[1], corner[2]})
      for (const double x : vector) out.bytes(rounded<float>(x), true);
    out.bytes(std::uint16_t{0}, true);
  };
  for (const Face& face : mesh.faces) {
    const auto& v = face.vertex;
    triangle(v[0], v[1], v[2]);
    if (face.size() == 4) triangle(v[0], v[2], v[3]);
  }
}

}  // namespace

MeshFormat stl_format() {
  return {"stl", "stereolithography, binary or text; triangles in single precision", parse_stl,
          write_stl};
}

}  // namespace taut::io::detail
