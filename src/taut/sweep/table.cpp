#include "taut/sweep/table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "taut/report/number_text.hpp"
#include "taut/text/csv_word.hpp"

namespace taut::sweep {
namespace {

constexpr std::size_t most_rows = 2000;  // shown in a page
constexpr int map_classes = 5;           // and "no value": a page has six colours for classes
constexpr double decades = 30;           // the ratio from which an axis is logarithmic

double number(const std::string& text) {
  double value = NAN;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? value : NAN;
}

struct Column {
  std::size_t place;
  std::vector<double> values;
  std::set<double> distinct;
  bool is_number = true;  // all that are not empty
};

Column column(const Table& table, std::size_t place) {
  Column made{place, {}, {}, true};
  for (const auto& row : table.rows) {
    made.values.push_back(number(row[place]));
    if (std::isfinite(made.values.back()))
      made.distinct.insert(made.values.back());
    else if (!row[place].empty())
      made.is_number = false;
  }
  return made;
}

bool is_log(const Column& of) {
  return !of.distinct.empty() && *of.distinct.begin() > 0 &&
         *of.distinct.rbegin() > decades * *of.distinct.begin();
}

/// What tells a row from others, beside some columns.
std::string others(const Table& table, const std::vector<std::string>& row,
                   const std::vector<std::size_t>& but) {
  std::string text;
  for (std::size_t i = 1; i < table.case_columns; ++i) {
    if (std::find(but.begin(), but.end(), i) != but.end()) continue;
    const bool varies = std::any_of(table.rows.begin(), table.rows.end(),
                                    [&](const auto& other) { return other[i] != row[i]; });
    if (varies)
      text += (text.empty() ? "" : ", ") + fmt::format("{} = {}", table.columns[i], row[i]);
  }
  return text;
}

report::Plot curves(const Table& table, const Column& x, const Column& y, bool is_random) {
  report::Plot plot;
  plot.title = table.columns[y.place];
  plot.x_label = table.columns[x.place];
  plot.y_label = table.columns[y.place];
  plot.log_x = is_log(x);
  plot.log_y = is_log(y);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const std::string label = is_random ? "samples" : others(table, table.rows[i], {x.place});
    auto found = std::find_if(plot.series.begin(), plot.series.end(),
                              [&](const report::Series& each) { return each.label == label; });
    if (found == plot.series.end()) {
      report::Series made;
      made.label = label;
      made.style =
          is_random ? report::Series::Style::points : report::Series::Style::line_and_points;
      found = plot.series.insert(found, made);
    }
    found->x.push_back(x.values[i]);
    found->y.push_back(y.values[i]);
  }
  for (report::Series& series : plot.series)
    if (series.label.empty()) series.label = table.columns[y.place];
  return plot;
}

report::Plot map(const Table& table, const Column& x, const Column& y, const Column& z,
                 const std::string& of) {
  report::Plot plot;
  plot.title = table.columns[z.place] + (of.empty() ? "" : ", " + of);
  plot.x_label = table.columns[x.place];
  plot.y_label = table.columns[y.place];
  plot.log_x = is_log(x);
  plot.log_y = is_log(y);
  report::Field field;
  field.x.assign(x.distinct.begin(), x.distinct.end());
  field.y.assign(y.distinct.begin(), y.distinct.end());
  const bool by_ratio = is_log(z);
  const auto scaled = [&](double value) { return by_ratio ? std::log(value) : value; };
  const double low = scaled(*z.distinct.begin()), high = scaled(*z.distinct.rbegin());
  for (int i = 0; i < map_classes; ++i) {
    const auto edge = [&](int k) {
      const double at = low + (high - low) * k / map_classes;
      return report::number_text(by_ratio ? std::exp(at) : at);
    };
    field.classes.push_back(fmt::format("{} … {}", edge(i), edge(i + 1)));
  }
  field.classes.emplace_back("no value");
  field.value.assign(field.x.size() * field.y.size(), map_classes);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (!std::isfinite(z.values[i]) || others(table, table.rows[i], {x.place, y.place}) != of)
      continue;
    const auto column = std::distance(x.distinct.begin(), x.distinct.find(x.values[i]));
    const auto row = std::distance(y.distinct.begin(), y.distinct.find(y.values[i]));
    const double part = high > low ? (scaled(z.values[i]) - low) / (high - low) : 0;
    field.value[static_cast<std::size_t>(row) * field.x.size() + static_cast<std::size_t>(column)] =
        std::clamp(static_cast<int>(part * map_classes), 0, map_classes - 1);
  }
  plot.field = std::move(field);
  return plot;
}

}  // namespace

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) line += (i ? "," : "") + io::csv_word(cells[i]);
  return line;
}

std::vector<std::string> csv_cells(std::string_view line) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"')
      cells.back() += line[i++];
    else if (line[i] == '"')
      is_quoted = !is_quoted;
    else if (line[i] == ',' && !is_quoted)
      cells.emplace_back();
    else
      cells.back() += line[i];
  }
  return cells;
}

std::string csv(const Table& table) {
  std::string text = csv_line(table.columns) + "\n";
  for (const auto& row : table.rows) text += csv_line(row) + "\n";
  return text;
}

report::Document document(const Plan& plan, const Table& table) {
  report::Document made;
  made.title = fmt::format("Sweep of {}", plan.scene);
  made.subtitle = fmt::format("{} cases", table.rows.size());
  report::Section section;
  section.id = "sweep";
  section.title = "Results";
  for (const Axis& axis : plan.axes)
    section.settings.push_back(
        {axis.name, axis.is_random() ? fmt::format("{} samples, seed {}", plan.samples, plan.seed)
                    : axis.values.size() == 1
                        ? axis.values.front()
                        : fmt::format("{} values, {} … {}", axis.values.size(), axis.values.front(),
                                      axis.values.back())});
  std::vector<Column> varied;
  for (std::size_t i = 1; i < table.case_columns; ++i)
    if (Column each = column(table, i); each.is_number && each.distinct.size() > 1)
      varied.push_back(std::move(each));
  const bool is_random = std::any_of(plan.axes.begin(), plan.axes.end(),
                                     [](const Axis& axis) { return axis.is_random(); });
  for (std::size_t i = table.case_columns; i < table.columns.size(); ++i) {
    const Column y = column(table, i);
    if (!y.is_number || y.distinct.size() < 2 || varied.empty()) continue;
    if (varied.size() == 2 && !is_random && varied[1].distinct.size() > 3) {
      std::set<std::string> groups;
      for (const auto& row : table.rows)
        if (const std::string of = others(table, row, {varied[0].place, varied[1].place});
            groups.insert(of).second)
          section.plots.push_back(map(table, varied[0], varied[1], y, of));
    } else {
      for (std::size_t k = 0; k < (is_random ? varied.size() : 1); ++k)
        section.plots.push_back(curves(table, varied[k], y, is_random));
    }
  }
  report::Table shown;
  shown.columns = table.columns;
  shown.rows.assign(table.rows.begin(), table.rows.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                 table.rows.size(), most_rows)));
  if (shown.rows.size() < table.rows.size())
    shown.caption = fmt::format("The first {} of {} cases.", most_rows, table.rows.size());
  section.tables.push_back(std::move(shown));
  made.sections.push_back(std::move(section));
  return made;
}

}  // namespace taut::sweep
