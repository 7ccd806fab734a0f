#include "taut/text/json_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "taut/text/at.hpp"

namespace taut::io {
namespace {

/// Builds the tree from nlohmann's events. Its own tree builder would keep the last of two equal
/// keys and nest without limit.
class TreeBuilder {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;

  TreeBuilder(std::string_view text, const std::string& origin) : text_(text), origin_(origin) {}

  Node take() { return std::move(root_); }

  bool null() { return add(Node()); }
  bool boolean(bool value) { return add(Node(value)); }
  bool number_integer(number_integer_t value) { return add(Node(static_cast<double>(value))); }
  bool number_unsigned(number_unsigned_t value) { return add(Node(static_cast<double>(value))); }
  bool number_float(double value, const std::string&) { return add(Node(value)); }
  bool string(std::string& value) { return add(Node(std::move(value))); }
  bool binary(nlohmann::json::binary_t&) { return false; }  // not in JSON text

  bool start_object(std::size_t) { return open(true); }
  bool start_array(std::size_t) { return open(false); }
  bool key(std::string& key) {
    open_.back().key = std::move(key);
    return true;
  }
  bool end_object() {
    Open closed = close();
    refuse_duplicates(closed.members);
    return add(Node(std::move(closed.members)));
  }
  bool end_array() { return add(Node(std::move(close().items))); }

  template <class Exception>
  bool parse_error(std::size_t position, const std::string&, const Exception& exception) {
    throw Error(fmt::format("{}: {}: {}", shown_file(origin_), line_and_column(position),
                            explain(position, exception.what())));
  }

 private:
  struct Open {
    bool is_object;
    std::string key;  // of the member being read
    Node::Members members;
    Node::Items items;
  };

  bool open(bool is_object) {
    if (open_.size() == deepest_nesting)
      throw Error(fmt::format("{}: {}: found nesting deeper than {} levels, expected a scene",
                              shown_file(origin_), printable(pointer(), 80), deepest_nesting));
    open_.push_back({is_object, {}, {}, {}});
    return true;
  }

  Open close() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    return closed;
  }

  bool add(Node node) {
    if (open_.empty())
      root_ = std::move(node);
    else if (open_.back().is_object)
      open_.back().members.emplace_back(std::move(open_.back().key), std::move(node));
    else
      open_.back().items.push_back(std::move(node));
    return true;
  }

  // By sorting: an object may have millions of keys.
  void refuse_duplicates(const Node::Members& members) const {
    std::vector<std::string_view> keys;
    for (const Node::Member& member : members) keys.push_back(member.first);
    std::sort(keys.begin(), keys.end());
    const auto twice = std::adjacent_find(keys.begin(), keys.end());
    if (twice == keys.end()) return;
    throw Error(fmt::format("{}: {}/{}: found the key {} twice in one object, expected it once",
                            shown_file(origin_), pointer(), printable(*twice), in_quotes(*twice)));
  }

  std::string pointer() const {
    std::string path;
    for (const Open& level : open_)
      path += '/' + (level.is_object ? printable(level.key) : std::to_string(level.items.size()));
    return path;
  }

  std::string line_and_column(std::size_t position) const {
    const std::string_view before = text_.substr(0, position > 0 ? position - 1 : 0);
    const std::size_t line_start = before.rfind('\n') + 1;  // 0 when there is none
    const auto starts_character = [](char c) { return (c & 0xc0) != 0x80; };
    return fmt::format("line {}, column {}", 1 + std::count(before.begin(), before.end(), '\n'),
                       1 + std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_start),
                                         before.end(), starts_character));
  }

  // nlohmann says for instance
  //   … syntax error while parsing value - invalid literal; last read: '"mass": N'
  //   … syntax error while parsing array - unexpected '}'; expected ']'
  //   … syntax error while parsing value - invalid string: missing closing quote; last read: '"b'
  // Its idea of the last token begins too early, so the text itself is asked.
  std::string explain(std::size_t position, std::string_view what) const {
    const auto after = [&](std::string_view mark) {
      const auto at = what.rfind(mark);
      if (at == what.npos) return std::string_view();
      const std::string_view rest = what.substr(at + mark.size());
      return rest.substr(0, rest.find("; last read"));
    };
    const std::string_view wanted = after("; expected ");
    const std::string expected(wanted.empty() ? "a JSON value" : wanted);
    if (what.find("out_of_range") != what.npos)
      return fmt::format("found {}, expected a number that is not too large", word(position));
    if (const std::string_view trouble = after("invalid string: "); !trouble.empty())
      return fmt::format("found a string with a fault, expected JSON ({})",
                         printable(trouble, 120));
    if (position > text_.size() || what.find("end of input;") != what.npos)
      return fmt::format("found the end of the file, expected {}", expected);
    return fmt::format("found {}, expected {}", word(position), expected);
  }

  /// The word around a position, or the single character.
  std::string word(std::size_t position) const {
    const auto in_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '+' || c == '-';
    };
    std::size_t begin = std::clamp<std::size_t>(position, 1, text_.size()) - 1, end = begin + 1;
    if (in_word(text_[begin])) {
      while (begin > 0 && in_word(text_[begin - 1])) --begin;
      while (end < text_.size() && in_word(text_[end])) ++end;
    }
    return printable(text_.substr(begin, end - begin), 40);
  }

  std::string_view text_;
  const std::string& origin_;
  Node root_;
  std::vector<Open> open_;
};

}  // namespace

Node parse_json(std::string_view text, const std::string& origin) {
  refuse_unreadable(text, origin, "a scene, a JSON object", "JSON");
  TreeBuilder builder(text, origin);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

}  // namespace taut::io
