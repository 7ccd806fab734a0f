#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "taut/base/error.hpp"
#include "taut/mesh/mesh_ply_internal.hpp"
#include "taut/text/at.hpp"

namespace taut::io::detail {
namespace {

struct TypeName {
  std::string_view name, other;
  std::size_t bytes;
};
constexpr std::array<TypeName, 8> types{{{"char", "int8", 1},
                                         {"uchar", "uint8", 1},
                                         {"short", "int16", 2},
                                         {"ushort", "uint16", 2},
                                         {"int", "int32", 4},
                                         {"uint", "uint32", 4},
                                         {"float", "float32", 4},
                                         {"double", "float64", 8}}};

class HeaderReader {
 public:
  HeaderReader(std::string_view content, const std::string& origin)
      : content_(content), origin_(origin) {}

  PlyHeader read() {
    if (content_.empty()) throw Error(shown_file(origin_) + ": found an empty file, expected PLY");
    if (std::string_view line; !next_line(line) || line != "ply")
      fail(fmt::format("found {}, expected the word ply", in_quotes(line)));
    bool has_format = false;
    for (std::string_view line; next_line(line);) {
      const std::vector<std::string_view> words = split(line);
      if (words.empty()) fail("found an empty line, expected a statement of the header");
      if (words[0] == "comment" || words[0] == "obj_info") continue;
      if (words[0] == "end_header") {
        if (!has_format) fail("found the end of the header, expected a format before");
        header_.size = at_;
        return std::move(header_);
      }
      if (words[0] == "format") {
        if (has_format) fail("found a second format, expected one");
        read_format(words);
        has_format = true;
      } else if (words[0] == "element") {
        read_element(words);
      } else if (words[0] == "property") {
        read_property(words);
      } else {
        fail(fmt::format(
            "found {}, expected format, element, property, comment, obj_info or end_header",
            in_quotes(words[0])));
      }
    }
    fail("found the end of the file, expected end_header");
  }

 private:
  void read_format(const std::vector<std::string_view>& words) {
    constexpr std::string_view names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    const auto* found =
        words.size() == 3 ? std::find(std::begin(names), std::end(names), words[1]) : nullptr;
    if (!found || found == std::end(names) || words[2] != "1.0")
      fail("expected \"format\", then ascii, binary_little_endian or binary_big_endian, then 1.0");
    header_.encoding = static_cast<PlyEncoding>(found - std::begin(names));
  }

  void read_element(const std::vector<std::string_view>& words) {
    if (words.size() != 3) fail("expected \"element\", a name and a count");
    PlyElement element;
    element.name = words[1];
    const char* end = words[2].data() + words[2].size();
    const auto [stop, error] = std::from_chars(words[2].data(), end, element.count);
    if (error != std::errc{} || stop != end)
      fail(fmt::format("found {}, expected how many there are of {}", in_quotes(words[2]),
                       in_quotes(element.name)));
    for (const PlyElement& other : header_.elements)
      if (other.name == element.name)
        fail(fmt::format("found a second element {}, expected one", in_quotes(element.name)));
    header_.elements.push_back(std::move(element));
  }

  void read_property(const std::vector<std::string_view>& words) {
    if (header_.elements.empty()) fail("found a property, expected an element before");
    PlyElement& element = header_.elements.back();
    PlyProperty property;
    const bool is_list = words.size() > 1 && words[1] == "list";
    if (words.size() != (is_list ? 5u : 3u))
      fail("expected \"property\", a type and a name, or \"property list\", two types and a name");
    if (is_list) {
      property.count_type = type(words[2]);
      if (!is_whole(*property.count_type))
        fail(fmt::format("found {} for the size of a list, expected a type of whole numbers",
                         in_quotes(words[2])));
    }
    property.type = type(words[words.size() - 2]);
    property.name = words.back();
    if (element.find(property.name) >= 0)
      fail(fmt::format("found a second property {}, expected one", in_quotes(property.name)));
    element.properties.push_back(std::move(property));
  }

  PlyType type(std::string_view name) const {
    for (std::size_t i = 0; i < types.size(); ++i)
      if (types[i].name == name || types[i].other == name) return static_cast<PlyType>(i);
    fail(
        fmt::format("found the type {}, expected char, uchar, short, ushort, int, uint, float or "
                    "double",
                    in_quotes(name)));
  }

  /// Lines end with \n or \r\n. No line of a header is long: garbage is not searched to its end.
  bool next_line(std::string_view& line) {
    constexpr std::size_t longest = 4096;
    if (at_ >= content_.size()) return false;
    ++line_number_;
    line = content_.substr(at_, longest);
    const std::size_t end = line.find('\n');
    if (end == line.npos) {
      if (line.size() == longest) fail("found no end of the line, expected a header in lines");
      at_ = content_.size();
      return line == "ply";  // cut off; all else is told by what follows
    }
    at_ += end + 1;
    line = line.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return true;
  }

  static std::vector<std::string_view> split(std::string_view line) {
    std::vector<std::string_view> words;
    for (std::size_t at = 0; (at = line.find_first_not_of(" \t", at)) != line.npos;) {
      const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
      words.push_back(line.substr(at, end - at));
      at = end;
    }
    return words;
  }

  [[noreturn]] void fail(std::string_view message) const {
    throw Error(fmt::format("{}: line {}: {}", shown_file(origin_), line_number_, message));
  }

  std::string_view content_;
  const std::string& origin_;
  PlyHeader header_;
  std::size_t at_ = 0;
  long line_number_ = 0;
};

}  // namespace

std::size_t byte_count(PlyType type) { return types[static_cast<std::size_t>(type)].bytes; }

int PlyElement::find(std::string_view property) const {
  for (std::size_t i = 0; i < properties.size(); ++i)
    if (properties[i].name == property) return static_cast<int>(i);
  return -1;
}

PlyHeader parse_ply_header(std::string_view content, const std::string& origin) {
  return HeaderReader(content, origin).read();
}

}  // namespace taut::io::detail
