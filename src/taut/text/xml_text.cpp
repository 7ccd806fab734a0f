#include "taut/text/xml_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "taut/text/at.hpp"
#include "taut/text/json_text.hpp"

namespace taut::io {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string trimmed(const std::string& text) {
  const auto first = std::find_if_not(text.begin(), text.end(), is_space);
  const auto last = std::find_if_not(text.rbegin(), text.rend(), is_space).base();
  return first < last ? std::string(first, last) : std::string();
}

bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool in_name(char c) { return starts_name(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; }

/// A code point as UTF-8; empty for what XML does not allow.
std::string utf8(unsigned long code) {
  const bool allowed = code == 0x9 || code == 0xa || code == 0xd ||
                       (code >= 0x20 && code < 0xd800) || (code >= 0xe000 && code <= 0x10ffff);
  if (!allowed) return "";
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xc0 | (code >> 6)), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xe0 | (code >> 12)), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | (code >> 18)), tail(12), tail(6), tail(0)};
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text[0]);
    const std::size_t size = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    if (size > 1 && (byte < 0xc2 || byte > 0xf4)) return false;
    if (text.size() < size) return false;
    for (std::size_t i = 1; i < size; ++i)
      if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return false;
    text.remove_prefix(size);
  }
  return true;
}

class XmlReader {
 public:
  XmlReader(std::string_view text, const std::string& origin, std::string_view expected)
      : text_(text), origin_(origin), expected_(expected) {}

  XmlElement read() {
    while (at_ < text_.size()) {
      if (text_[at_] == '<')
        read_markup();
      else
        skip_text();
    }
    if (!open_.empty())
      fail(at_, fmt::format("found the end of the file, expected </{}>, opened in line {}",
                            printable(open_.back().name), open_.back().line));
    if (!has_root_) fail(0, fmt::format("found no element, expected {}", expected_));
    return std::move(root_);
  }

 private:
  [[noreturn]] void fail(std::size_t position, std::string_view message) const {
    const std::string_view before = text_.substr(0, position);
    const auto starts_character = [](char c) { return (c & 0xc0) != 0x80; };
    const auto column =
        1 + std::count_if(before.begin() + static_cast<std::ptrdiff_t>(before.rfind('\n') + 1),
                          before.end(), starts_character);
    throw Error(fmt::format("{}: line {}, column {}: {}", shown_file(origin_),
                            1 + std::count(before.begin(), before.end(), '\n'), column, message));
  }

  /// What stands at a position, for messages.
  std::string found(std::size_t position) const {
    if (position >= text_.size()) return "the end of the file";
    if (text_[position] == '\n' || text_[position] == '\r') return "the end of the line";
    std::size_t end = position + 1;  // with the rest of a character in UTF-8
    while (end < text_.size() && (text_[end] & 0xc0) == 0x80) ++end;
    return in_quotes(text_.substr(position, end - position));
  }

  bool next_is(std::string_view word) const { return text_.substr(at_).starts_with(word); }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  /// Goes behind `end`, which closes what began here.
  void skip_to(std::string_view end, std::string_view what) {
    const std::size_t found_at = text_.find(end, at_);
    if (found_at == text_.npos)
      fail(at_, fmt::format("found {} without an end, expected {}", what, end));
    at_ = found_at + end.size();
  }

  void skip_text() {
    const std::size_t end = std::min(text_.find('<', at_), text_.size());
    if (open_.empty())
      for (std::size_t i = at_; i < end; ++i)
        if (!is_space(text_[i]))
          fail(i, fmt::format("found {} outside of any element, expected {}", found(i),
                              has_root_ ? "the end of the file" : expected_));
    if (!open_.empty() && !std::all_of(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                       text_.begin() + static_cast<std::ptrdiff_t>(end), is_space))
      open_.back().text += decoded(at_, end);
    count_lines(end);
  }

  void read_markup() {
    const std::size_t start = at_;
    if (next_is("<!--")) {
      skip_to("-->", "a comment");
    } else if (next_is("<![CDATA[") && !open_.empty()) {
      skip_to("]]>", "a CDATA section");
      open_.back().text += text_.substr(start + 9, at_ - 3 - (start + 9));
    } else if (next_is("<!")) {
      fail(at_,
           "found a document type or entity declaration (<!…), expected none: they are refused");
    } else if (next_is("<?")) {
      skip_to("?>", "a processing instruction");
    } else if (next_is("</")) {
      read_end_tag();
    } else {
      read_start_tag();
    }
    const std::size_t end = at_;
    at_ = start;
    count_lines(end);
  }

  void count_lines(std::size_t end) {
    line_ += static_cast<std::size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                                 text_.begin() + static_cast<std::ptrdiff_t>(end),
                                                 '\n'));
    at_ = end;
  }

  std::string read_name(std::string_view what) {
    const std::size_t start = at_;
    if (at_ >= text_.size() || !starts_name(text_[at_]))
      fail(at_, fmt::format("found {}, expected {}", found(at_), what));
    while (at_ < text_.size() && in_name(text_[at_])) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

  void read_end_tag() {
    const std::size_t start = at_;
    at_ += 2;
    const std::string name = read_name("the name of an element");
    skip_space();
    if (!next_is(">")) fail(at_, fmt::format("found {}, expected \">\"", found(at_)));
    ++at_;
    if (open_.empty())
      fail(start, fmt::format("found </{}>, expected no end without a start", printable(name)));
    if (open_.back().name != name)
      fail(start, fmt::format("found </{}>, expected </{}>, opened in line {}", printable(name),
                              printable(open_.back().name), open_.back().line));
    close();
  }

  void read_start_tag() {
    const std::size_t start = at_;
    ++at_;
    XmlElement element;
    element.line = line_;
    element.name = read_name("the name of an element");
    if (open_.empty() && has_root_)
      fail(start, fmt::format("found a second outermost element <{}>, expected one",
                              printable(element.name)));
    if (open_.size() == deepest_nesting)
      fail(start, fmt::format("found nesting deeper than {} levels, expected {}", deepest_nesting,
                              expected_));
    if (++count_ > most_xml_elements)
      fail(start,
           fmt::format("found more than {} elements, expected at most that", most_xml_elements));
    for (;;) {
      const bool space = at_ < text_.size() && is_space(text_[at_]);
      skip_space();
      if (next_is("/>") || next_is(">")) break;
      if (!space && at_ < text_.size())
        fail(at_, fmt::format("found {} in <{}>, expected a space, \"/>\" or \">\"", found(at_),
                              printable(element.name)));
      read_attribute(element);
    }
    has_root_ = true;
    const bool empty = next_is("/>");
    at_ += empty ? 2 : 1;
    open_.push_back(std::move(element));
    if (empty) close();
  }

  void read_attribute(XmlElement& element) {
    const std::size_t start = at_;
    XmlAttribute attribute;
    attribute.name =
        read_name(fmt::format("an attribute or the end of <{}>", printable(element.name)));
    if (element.attribute(attribute.name))
      fail(start, fmt::format("found the attribute {} twice, expected it once",
                              in_quotes(attribute.name)));
    if (element.attributes.size() == most_xml_attributes)
      fail(start, fmt::format("found more than {} attributes in one element, expected at most that",
                              most_xml_attributes));
    skip_space();
    if (!next_is("=")) fail(at_, fmt::format("found {}, expected \"=\"", found(at_)));
    ++at_;
    skip_space();
    if (!next_is("\"") && !next_is("'"))
      fail(at_, fmt::format("found {}, expected a value in quotes", found(at_)));
    const char quote = text_[at_++];
    const std::size_t value = at_;
    const std::size_t end = std::min(text_.find(quote, at_), text_.find('<', at_));
    if (end == text_.npos || text_[end] == '<')
      fail(value - 1, fmt::format("found the value of {} without a closing quote, expected {}",
                                  in_quotes(attribute.name), quote));
    attribute.value = decoded(value, end);
    at_ = end + 1;
    element.attributes.push_back(std::move(attribute));
  }

  /// The text from `begin` to `end` with its character references replaced.
  std::string decoded(std::size_t begin, std::size_t end) const {
    std::string out;
    for (std::size_t i = begin; i < end;) {
      if (text_[i] != '&') {
        // A line break counts as a space, as XML wants it.
        out += is_space(text_[i]) ? ' ' : text_[i];
        ++i;
        continue;
      }
      const std::size_t semicolon = std::min(text_.find(';', i), end);
      const std::string_view name = text_.substr(i + 1, semicolon - i - 1);
      const std::string character = semicolon < end ? referred(name) : "";
      if (character.empty())
        fail(i,
             fmt::format("found {}, expected &amp; &lt; &gt; &quot; &apos; or the number of a "
                         "character, &#…;",
                         in_quotes(text_.substr(i, std::min<std::size_t>(semicolon - i + 1, 20)))));
      out += character;
      i = semicolon + 1;
    }
    if (!is_utf8(out)) fail(begin, "found bytes that are no UTF-8, expected UTF-8 text");
    return out;
  }

  static std::string referred(std::string_view name) {
    if (name == "amp") return "&";
    if (name == "lt") return "<";
    if (name == "gt") return ">";
    if (name == "quot") return "\"";
    if (name == "apos") return "'";
    if (!name.starts_with('#')) return "";
    name.remove_prefix(1);
    const int base = name.starts_with('x') ? 16 : 10;
    if (base == 16) name.remove_prefix(1);
    unsigned long code = 0;
    const auto [rest, trouble] = std::from_chars(name.begin(), name.end(), code, base);
    return trouble == std::errc() && rest == name.end() ? utf8(code) : "";
  }

  void close() {
    XmlElement closed = std::move(open_.back());
    closed.text = trimmed(closed.text);
    open_.pop_back();
    if (open_.empty())
      root_ = std::move(closed);
    else
      open_.back().children.push_back(std::move(closed));
  }

  std::string_view text_;
  const std::string& origin_;
  std::string_view expected_;
  std::size_t at_ = 0, line_ = 1, count_ = 0;
  bool has_root_ = false;
  XmlElement root_;
  std::vector<XmlElement> open_;
};

}  // namespace

XmlElement parse_xml(std::string_view text, const std::string& origin, std::string_view expected) {
  refuse_unreadable(text, origin, expected, "XML");
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // a byte order mark
  return XmlReader(text, origin, expected).read();
}

}  // namespace taut::io
