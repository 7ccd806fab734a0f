#include "taut/text/at.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace taut::io {
namespace {

/// How many bytes the UTF-8 character at the start of `text` has; 0 when it is not a printable one.
std::size_t printable_bytes(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text[0]);
  if (byte < 0x80) return byte >= 0x20 && byte != 0x7f ? 1 : 0;
  const std::size_t size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 0;
  if (size == 0 || byte > 0xf4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  // The control characters U+0080 to U+009F.
  return size == 2 && byte == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0 ? 0 : size;
}

/// A key as a part of a JSON pointer (RFC 6901).
std::string pointer_part(std::string_view key) {
  std::string part;
  for (const char c : key) {
    if (c == '~')
      part += "~0";
    else if (c == '/')
      part += "~1";
    else
      part += c;
  }
  return printable(part);
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= most) return out + "…";
    const std::size_t bytes = printable_bytes(text);
    if (bytes > 0) {
      out += text.substr(0, bytes);
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    }
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return out;
}

std::string shown_file(std::string_view path) { return printable(path, 400); }

std::string in_quotes(std::string_view text) { return '"' + printable(text) + '"'; }

std::string describe(const Node& node) {
  if (node.boolean()) return *node.boolean() ? "true" : "false";
  if (node.number()) return fmt::format("the number {}", *node.number());
  if (node.text()) return "the string " + in_quotes(*node.text());
  if (node.items())
    return node.items()->empty() ? "an empty array"
                                 : fmt::format("an array of {}", node.items()->size());
  if (node.members()) return node.members()->empty() ? "an empty object" : "an object";
  return "null";
}

std::string At::place() const {
  std::vector<const At*> way;
  for (const At* at = this; at; at = at->parent_) way.push_back(at);
  std::string pointer, turns;
  for (auto at = way.rbegin() + 1; at != way.rend(); ++at) {
    if ((*at)->is_turn_)
      turns += fmt::format("{}{} = {}", turns.empty() ? "" : ", ", (*at)->key_, (*at)->turn_);
    else if ((*at)->index_ != no_index)
      pointer += fmt::format("/{}", (*at)->index_);
    else
      pointer += '/' + pointer_part((*at)->key_);
  }
  if (pointer.empty()) pointer = "/";
  return shown_file(way.back()->key_) + ": " + pointer + (turns.empty() ? "" : " (" + turns + ")");
}

void fail(const At& at, std::string_view message) {
  throw Error(at.place() + ": " + std::string(message));
}

void fail_found(const At& at, std::string_view expected, std::string_view hint) {
  fail(at, fmt::format("found {}, expected {}{}", describe(at.node()), expected, hint));
}

}  // namespace taut::io
