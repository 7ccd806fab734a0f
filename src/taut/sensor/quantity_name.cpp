#include <algorithm>

#include "taut/sensor/quantity_name_internal.hpp"
#include "taut/text/expression.hpp"

namespace taut::detail {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

/// Calls visit(piece) for what lies between separators that are in no quotes or parentheses.
template <class Visit>
void split(std::string_view text, char separator, const Visit& visit) {
  int open = 0;
  bool is_quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : separator;
    if (c == '\'') is_quoted = !is_quoted;
    if (!is_quoted) open += c == '(' ? 1 : c == ')' ? -1 : 0;
    const bool is_end = i == text.size();
    if (!is_end && (c != separator || is_quoted || open > 0)) continue;
    visit(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
}

}  // namespace

std::vector<NamePart> parts_of(std::string_view name) {
  std::vector<NamePart> parts;
  split(name, '.', [&](std::string_view piece) {
    NamePart& part = parts.emplace_back();
    if (piece.ends_with(')')) {
      const std::size_t quote = piece.starts_with('\'') ? piece.find('\'', 1) : 0;
      const std::size_t open = std::min(piece.find('(', quote), piece.size());
      part.arguments.emplace();
      std::string_view inside = piece.substr(std::min(open + 1, piece.size()));
      inside.remove_suffix(inside.empty() ? 0 : 1);
      if (!trimmed(inside).empty())
        split(inside, ',', [&](std::string_view each) { part.arguments->push_back(each); });
      piece = trimmed(piece.substr(0, open));
    }
    part.is_quoted = piece.size() >= 2 && piece.front() == '\'' && piece.back() == '\'';
    part.text = part.is_quoted ? piece.substr(1, piece.size() - 2) : piece;
  });
  return parts;
}

std::string joined(const std::vector<NamePart>& parts, std::size_t first, std::size_t last) {
  std::string name;
  for (std::size_t i = first; i < last; ++i) name += (i > first ? "." : "") + parts[i].text;
  return name;
}

std::string as_written(std::string_view name) {
  return io::is_identifier(name) ? std::string(name) : "'" + std::string(name) + "'";
}

}  // namespace taut::detail
