#include <charconv>
#include <cmath>

#include "taut/robot/notes_internal.hpp"

namespace taut::io::detail {

void Ignored::count(const std::string& kind, const std::string& detail, std::string_view reason) {
  const auto [known, is_new] =
      numbers_.emplace(fmt::format("{}|{}|{}", kind, detail, reason), kinds_.size());
  if (is_new) kinds_.push_back({kind, detail, std::string(reason), 0});
  ++kinds_[known->second].count;
}

std::vector<std::string> Ignored::lines() const {
  std::vector<std::string> lines;
  for (const Kind& kind : kinds_)
    lines.push_back(fmt::format("{} {}{}{}: {}", kind.count, kind.name, kind.count == 1 ? "" : "s",
                                kind.detail, kind.reason));
  lines.insert(lines.end(), notes_.begin(), notes_.end());
  return lines;
}

bool read_number(std::string_view text, double& out) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto [rest, trouble] = std::from_chars(text.begin(), text.end(), out);
  return trouble == std::errc() && rest == text.end() && std::isfinite(out);
}

std::vector<double> read_numbers(std::string_view text, std::size_t most) {
  std::vector<double> numbers;
  constexpr std::string_view space = " \t\r\n";
  for (;;) {
    const std::size_t begin = text.find_first_not_of(space);
    if (begin == text.npos) return numbers;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(space), text.size());
    if (numbers.size() == most || !read_number(text.substr(0, end), numbers.emplace_back()))
      return {};
    text.remove_prefix(end);
  }
}

}  // namespace taut::io::detail
