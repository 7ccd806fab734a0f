#include <algorithm>

#include "taut/base/markup.hpp"
#include "taut/report/escape_internal.hpp"
#include "taut/text/json.hpp"

namespace taut::report::detail {
namespace {

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string visible;
  for (const char c : io::valid_utf8(text)) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    if (is_control && c != '\n' && c != '\t' && c != '\r')
      visible += "\uFFFD";
    else
      visible += c;
  }
  return escape_markup(visible);
}

std::string inline_html(std::string_view text) {
  const std::string safe = escape_html(text);
  std::string result;
  std::size_t at = 0;
  while (true) {
    const std::size_t open = safe.find('`', at);
    const std::size_t close = open == std::string::npos ? open : safe.find('`', open + 1);
    if (close == std::string::npos) return result + safe.substr(at);
    result += safe.substr(at, open - at);
    result += "<code>" + safe.substr(open + 1, close - open - 1) + "</code>";
    at = close + 1;
  }
}

std::string paragraphs_html(std::string_view text) {
  std::string result, paragraph;
  const auto finish = [&] {
    if (!paragraph.empty()) result += "<p>" + inline_html(paragraph) + "</p>\n";
    paragraph.clear();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (is_blank(line)) {
      finish();
    } else {
      if (!paragraph.empty()) paragraph += '\n';
      paragraph += line;
    }
  }
  finish();
  return result;
}

std::string json_string(std::string_view text) {
  // "<" begins everything that could end or change a script element: </script>, <!--, <script.
  return replaced(io::json_quoted(text), "<", "\\u003c");
}

std::string anchor(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    const bool is_allowed = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                            (c >= '0' && c <= '9') || c == '-' || c == '_';
    if (!is_allowed) c = '-';
  }
  return result;
}

}  // namespace taut::report::detail
