#include "taut/derivatives/measured_table.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cmath>

#include "taut/base/error.hpp"
#include "taut/text/json_text.hpp"

namespace taut {
namespace {

std::string_view trimmed(std::string_view text, std::string_view blank = " \t\r\"") {
  const std::size_t begin = text.find_first_not_of(blank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

/// Names may have commas in parentheses: distance(a, b).
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  int depth = 0;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    const char c = i < line.size() ? line[i] : ',';
    if (c == '"') quoted = !quoted;
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (i < line.size() && (c != ',' || quoted || depth > 0)) continue;
    cells.push_back(trimmed(line.substr(begin, i - begin)));
    begin = i + 1;
  }
  return cells;
}

/// "tip (m)" → "tip", but not "distance(a, b)"
std::string without_unit(std::string_view name) {
  if (!name.empty() && name.back() == ')')
    if (const std::size_t open = name.rfind(" ("); open != std::string_view::npos)
      name = trimmed(name.substr(0, open));
  return std::string(name);
}

}  // namespace

MeasuredTable parse_measured(std::string_view text, const std::string& origin) {
  MeasuredTable table;
  bool has_header = false;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end), " \t\r");
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string_view> cells = cells_of(line);
    const auto fail = [&](const std::string& what) {
      throw Error(fmt::format("{}:{}: {}", origin, number, what));
    };
    if (!has_header) {
      has_header = true;
      if (cells.size() < 2)
        fail("found one column, expected the time and at least one column of values");
      for (std::size_t i = 1; i < cells.size(); ++i) {
        table.columns.push_back(without_unit(cells[i]));
        if (table.columns.back().empty()) fail("found a column without a name");
      }
      double unused = 0;
      const std::string_view first = cells[0];
      if (std::from_chars(first.data(), first.data() + first.size(), unused).ec == std::errc{})
        fail(
            fmt::format("found the number {}, expected a line with the names of the columns, such "
                        "as t,bob.x",
                        first));
      continue;
    }
    if (cells.size() != table.columns.size() + 1)
      fail(fmt::format("found {} cells, expected {} as in the first line", cells.size(),
                       table.columns.size() + 1));
    std::vector<double> row;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      double value = std::nan("");
      if (!cells[i].empty()) {
        const char* last = cells[i].data() + cells[i].size();
        const auto [at, trouble] = std::from_chars(cells[i].data(), last, value);
        if (trouble != std::errc{} || at != last)
          fail(fmt::format("found \"{}\", expected a number", cells[i]));
      }
      if (i == 0 && !std::isfinite(value)) fail("found no time");
      if (std::isinf(value)) fail(fmt::format("found \"{}\", expected a finite number", cells[i]));
      row.push_back(value);
    }
    if (!table.times.empty() && !(row[0] > table.times.back()))
      fail(fmt::format("found t = {} after t = {}, expected increasing times", row[0],
                       table.times.back()));
    table.times.push_back(row[0]);
    table.values.emplace_back(row.begin() + 1, row.end());
  }
  if (table.times.empty()) throw Error(origin + ": found no measured values");
  return table;
}

MeasuredTable read_measured(const std::string& path) {
  return parse_measured(io::read_text(path, "a table of measured values"), path);
}

}  // namespace taut
