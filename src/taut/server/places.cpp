#include "taut/server/places.hpp"

#include <charconv>
#include <cstdio>

namespace taut::server {
namespace {

/// Walks over JSON that has been read before, or not: at anything strange it gives up.
class Scanner {
 public:
  Scanner(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  std::size_t at() const { return at_; }
  void blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
  }
  bool take(char c) {
    blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  /// The text between the quotes, escapes as they are written.
  std::optional<std::string_view> string() {
    if (!take('"')) return std::nullopt;
    const std::size_t begin = at_;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\') ++at_;
    if (at_ >= text_.size()) return std::nullopt;
    return text_.substr(begin, at_++ - begin);
  }
  /// Any value, by counting brackets: no recursion, so no text is too deep.
  bool skip() {
    blanks();
    long depth = 0;
    do {
      blanks();
      if (at_ >= text_.size()) return false;
      const char c = text_[at_];
      if (c == '"') {
        if (!string()) return false;
      } else if (c == '{' || c == '[') {
        ++depth;
        ++at_;
      } else if (c == '}' || c == ']') {
        if (--depth < 0) return false;
        ++at_;
      } else if (c == ',' || c == ':') {
        if (depth == 0) return false;
        ++at_;
      } else {
        while (at_ < text_.size() &&
               std::string_view(" \t\r\n,:]}[{\"").find(text_[at_]) == text_.npos)
          ++at_;
      }
    } while (depth > 0);
    return true;
  }

 private:
  std::string_view text_;
  std::size_t at_;
};

std::string unescaped(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] == '~' && i + 1 < token.size()) {
      ++i;
      out += token[i] == '1' ? '/' : '~';
    } else {
      out += token[i];
    }
  }
  return out;
}

std::optional<Span> value_at(std::string_view text, std::size_t at) {
  Scanner scanner(text, at);
  scanner.blanks();
  const std::size_t begin = scanner.at();
  if (!scanner.skip()) return std::nullopt;
  return Span{begin, scanner.at()};
}

std::optional<Span> find_member(std::string_view text, const Span& object, std::string_view key) {
  Scanner scanner(text, object.begin);
  if (!scanner.take('{')) return std::nullopt;
  while (const auto name = scanner.string()) {
    if (!scanner.take(':')) return std::nullopt;
    const auto value = value_at(text, scanner.at());
    if (!value) return std::nullopt;
    if (*name == key) return value;
    scanner = Scanner(text, value->end);
    if (!scanner.take(',')) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Span> find_item(std::string_view text, const Span& array, std::string_view token) {
  std::size_t wanted = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), wanted);
  if (error != std::errc{} || end != token.data() + token.size()) return std::nullopt;
  const std::vector<Span> items = array_items(text, array);
  if (wanted >= items.size()) return std::nullopt;
  return items[wanted];
}

/// The longest beginning of a pointer that leads to something.
std::optional<Span> nearest_value(std::string_view text, std::string_view pointer) {
  for (;;) {
    if (const auto found = find_value(text, pointer)) return found;
    const std::size_t slash = pointer.rfind('/');
    if (slash == pointer.npos) return std::nullopt;
    pointer = pointer.substr(0, slash);
  }
}

}  // namespace

std::optional<Span> find_value(std::string_view text, std::string_view pointer) {
  std::optional<Span> found = value_at(text, 0);
  while (found && !pointer.empty()) {
    if (pointer.front() != '/') return std::nullopt;
    pointer.remove_prefix(1);
    const std::size_t slash = std::min(pointer.find('/'), pointer.size());
    const std::string token = unescaped(pointer.substr(0, slash));
    pointer.remove_prefix(slash);
    found = text[found->begin] == '{' ? find_member(text, *found, token)
                                      : find_item(text, *found, token);
  }
  return found;
}

std::vector<Span> array_items(std::string_view text, const Span& array) {
  std::vector<Span> items;
  Scanner scanner(text, array.begin);
  if (!scanner.take('[')) return items;
  while (const auto value = value_at(text, scanner.at())) {
    items.push_back(*value);
    scanner = Scanner(text, value->end);
    if (!scanner.take(',')) break;
  }
  return items;
}

LineColumn line_column(std::string_view text, std::size_t at) {
  LineColumn place;
  for (std::size_t i = 0; i < at && i < text.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    if (c == '\n') {
      ++place.line;
      place.column = 1;
    } else if ((c & 0xC0) != 0x80) {  // of a character in UTF-8, the first byte counts
      ++place.column;
    }
  }
  return place;
}

ErrorPlace error_place(std::string_view message, std::string_view text) {
  ErrorPlace place;
  if (const std::size_t at = message.find("line "); at != message.npos) {
    unsigned long line = 0, column = 0;
    const std::string copy(message.substr(at, 60));
    if (std::sscanf(copy.c_str(), "line %lu, column %lu", &line, &column) == 2) {
      place.at = LineColumn{line, column};
      return place;
    }
  }
  // "origin: /path: …": the pointer stands between a blank and the next ": " or " (".
  const std::size_t begin = message.find(": /");
  if (begin == message.npos) return place;
  const std::string_view rest = message.substr(begin + 2);
  const std::size_t end = std::min({rest.find(": "), rest.find(" ("), rest.find(' '), rest.size()});
  place.path = rest.substr(0, end);
  if (const auto value = nearest_value(text, place.path))
    place.at = line_column(text, value->begin);
  return place;
}

}  // namespace taut::server
