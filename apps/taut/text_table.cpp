#include "text_table.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "taut/base/error.hpp"

namespace taut::cli {
namespace {

/// Characters, not bytes, of UTF-8 text.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](unsigned char byte) { return (byte & 0xC0) != 0x80; }));
}

}  // namespace

TextTable& TextTable::left(std::string heading) {
  columns_.push_back({std::move(heading), false});
  return *this;
}

TextTable& TextTable::right(std::string heading) {
  columns_.push_back({std::move(heading), true});
  return *this;
}

void TextTable::row(std::vector<std::string> cells) {
  TAUT_CHECK(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::text(const std::string& indent) const {
  std::vector<std::size_t> width;
  std::vector<std::string> headings, rule;
  bool has_headings = false;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    width.push_back(width_of(columns_[c].heading));
    for (const auto& cells : rows_) width[c] = std::max(width[c], width_of(cells[c]));
    headings.push_back(columns_[c].heading);
    rule.emplace_back(width[c], '-');
    has_headings = has_headings || !columns_[c].heading.empty();
  }
  std::string text;
  const auto add = [&](const std::vector<std::string>& cells) {
    std::string line = indent;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string pad(width[c] - width_of(cells[c]), ' ');
      line += columns_[c].to_right ? pad + cells[c] : cells[c] + pad;
      line += "  ";
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  if (has_headings) {
    add(headings);
    add(rule);
  }
  for (const auto& cells : rows_) add(cells);
  return text;
}

}  // namespace taut::cli
