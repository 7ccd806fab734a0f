// OBJ files. They are read by tinyobjloader after a look at every line.
//
// tinyobjloader takes what it cannot read as zero ("v nan 1", "v 1 2", "f a b c"), lets indices
// overflow and point outside, ignores statements it does not know and joins no continued lines; and
// it knows no lines in its messages. So all that is checked here, before it sees the text, and its
// callbacks only collect. They are used rather than its LoadObj, which keeps every face as an
// object of its own and drops or divides faces as it sees fit.
#include <fmt/core.h>
#include <tiny_obj_loader.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <istream>
#include <limits>
#include <streambuf>

#include "taut/base/error.hpp"
#include "taut/mesh/mesh_internal.hpp"
#include "taut/mesh/mesh_output_internal.hpp"
#include "taut/text/at.hpp"
#include "taut/text/json_text.hpp"

namespace taut::io::detail {
namespace {

constexpr std::string_view ignored_statements[] = {
    "vt",       "vn",       "vp",     "l",          "p",      "o",     "g",
    "s",        "mtllib",   "usemtl", "usemap",     "maplib", "mg",    "bevel",
    "c_interp", "d_interp", "lod",    "cstype",     "deg",    "bmat",  "step",
    "curv",     "curv2",    "surf",   "parm",       "trim",   "hole",  "scrv",
    "sp",       "end",      "con",    "shadow_obj", "ctech",  "stech", "trace_obj"};

class ObjCheck {
 public:
  ObjCheck(std::string_view text, const std::string& origin) : text_(text), origin_(origin) {}

  void run() {
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = std::min(text_.find_first_of("\r\n", at), text_.size());
      check_line(text_.substr(at, end - at));
      at = end + 1;
    }
    if (farthest_ > vertices)
      fail(farthest_place_,
           fmt::format("found vertex {}, expected one of the {} vertices", farthest_, vertices));
  }

  std::int64_t vertices = 0, faces = 0;

 private:
  void check_line(std::string_view line) {
    const std::string_view keyword = next_word(line);
    if (keyword.empty() || keyword[0] == '#') return;
    if (keyword == "v") return check_vertex(line);
    if (keyword == "f") return check_face(line);
    if (std::find(std::begin(ignored_statements), std::end(ignored_statements), keyword) ==
        std::end(ignored_statements))
      fail(keyword,
           fmt::format("found {}, expected a statement of OBJ such as v or f", in_quotes(keyword)));
    if (line.ends_with('\\')) fail(line, "found a continued line (\\), expected it in one line");
  }

  void check_vertex(std::string_view line) {
    for (const char axis : {'x', 'y', 'z'}) {
      const std::string_view word = next_word(line);
      double value = 0;
      // tinyobjloader takes a plus sign, from_chars does not.
      const char* begin = word.data() + (word.starts_with('+') && !word.starts_with("+-") ? 1 : 0);
      const char* end = word.data() + word.size();
      const auto [stop, error] = std::from_chars(begin, end, value);
      if (error != std::errc{} || stop != end || !std::isfinite(value))
        fail(word, fmt::format("found {} for {}, expected a finite number",
                               word.empty() ? "nothing" : in_quotes(word), axis));
    }
    ++vertices;
    if (vertices > std::numeric_limits<int>::max())
      fail(line, "found too many vertices, expected at most 2147483647");
  }

  void check_face(std::string_view line) {
    std::int64_t face[4] = {};
    std::size_t count = 0;
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line), ++count) {
      const std::int64_t vertex = vertex_number(word);
      for (std::size_t before = 0; before < std::min<std::size_t>(count, 4); ++before)
        if (face[before] == vertex)
          fail(word, fmt::format("found a face with vertex {} twice, expected different vertices",
                                 vertex));
      if (count < 4) face[count] = vertex;
      if (vertex > farthest_) {
        farthest_ = vertex;
        farthest_place_ = word;
      }
    }
    if (const std::string wrong = wrong_face_size(count); !wrong.empty()) fail(line, wrong);
    ++faces;
  }

  /// Of `7`, `7/1`, `7//3` or `-1/1/3`, counted from 1.
  std::int64_t vertex_number(std::string_view word) const {
    std::string_view rest = word;
    std::int64_t vertex = read_index(rest, word);
    if (vertex == 0) fail(word, "found vertex 0, expected numbers from 1 on, or from -1 back");
    if (vertex < 0 && -vertex > vertices)
      fail(word, fmt::format("found vertex {}, expected one of the {} vertices before", vertex,
                             vertices));
    for (int more = 0; more < 2 && rest.starts_with('/'); ++more) {
      rest.remove_prefix(1);
      if (!rest.empty() && rest[0] != '/') read_index(rest, word);
    }
    if (!rest.empty()) fail_index(word);
    return vertex < 0 ? vertices + 1 + vertex : vertex;
  }

  std::int64_t read_index(std::string_view& rest, std::string_view word) const {
    int value = 0;
    const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc{}) fail_index(word);
    rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
    return value;
  }

  static std::string_view next_word(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(end);
    return word;
  }

  [[noreturn]] void fail_index(std::string_view word) const {
    fail(word, fmt::format("found {}, expected a vertex such as 7, 7/1 or 7/1/3", in_quotes(word)));
  }
  /// `place` is a part of the text.
  [[noreturn]] void fail(std::string_view place, std::string_view message) const {
    const auto offset = static_cast<std::size_t>(place.data() - text_.data());
    throw Error(
        fmt::format("{}: line {}: {}", shown_file(origin_), line_of(text_, offset), message));
  }

  std::string_view text_;
  const std::string& origin_;
  std::int64_t farthest_ = 0;
  std::string_view farthest_place_;
};

/// Reads from a text without copying it.
struct TextBuffer : std::streambuf {
  explicit TextBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // never written to: there is no put area
    setg(begin, begin, begin + text.size());
  }
};

void add_vertex(void* mesh, double x, double y, double z, double) {
  static_cast<Mesh*>(mesh)->vertices.emplace_back(x, y, z);
}

void add_face(void* to, tinyobj::index_t* corners, int count) {
  Mesh& mesh = *static_cast<Mesh*>(to);
  TAUT_CHECK(count == 3 || count == 4);
  Face face;
  for (int k = 0; k < count; ++k) {
    const int vertex = corners[k].vertex_index;  // as it is in the file
    face.vertex[static_cast<std::size_t>(k)] =
        vertex > 0 ? vertex - 1 : static_cast<int>(mesh.vertices.size()) + vertex;
  }
  mesh.faces.push_back(face);
}

Mesh parse_obj(std::string_view text, const std::string& origin) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  refuse_unreadable(text, origin, "a mesh in OBJ", "OBJ", text.size());
  ObjCheck check(text, origin);
  check.run();

  Mesh mesh;
  mesh.vertices.reserve(static_cast<std::size_t>(check.vertices));
  mesh.faces.reserve(static_cast<std::size_t>(check.faces));
  TextBuffer buffer(text);
  std::istream stream(&buffer);
  tinyobj::callback_t callback;
  callback.vertex_cb = add_vertex;
  callback.index_cb = add_face;
  tinyobj::LoadObjWithCallback(stream, callback, &mesh);
  TAUT_CHECK(mesh.vertices.size() == static_cast<std::size_t>(check.vertices));
  TAUT_CHECK(mesh.faces.size() == static_cast<std::size_t>(check.faces));

  // tinyobjloader multiplies 0e999 out to 0 · ∞.
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
    if (!mesh.vertices[i].allFinite())
      throw Error(fmt::format("{}: vertex {}: found numbers with exponents out of range",
                              shown_file(origin), i + 1));
  return mesh;
}

template <class Real>
void write_obj(MeshOutput& out, const Mesh& mesh, const MeshStyle& style) {
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

}  // namespace

MeshFormat obj_format() {
  return {"obj", "Wavefront OBJ: text; parts are named objects", parse_obj,
          [](MeshOutput& out, const Mesh& mesh, const MeshStyle& style) {
            style.double_precision ? write_obj<double>(out, mesh, style)
                                   : write_obj<float>(out, mesh, style);
          }};
}

}  // namespace taut::io::detail
