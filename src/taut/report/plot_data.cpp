#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "taut/base/error.hpp"
#include "taut/report/decimate_internal.hpp"
#include "taut/report/escape_internal.hpp"
#include "taut/report/plot_data_internal.hpp"

namespace taut::report::detail {
namespace {

// Six significant digits of the part that varies: of an energy of 1000 J that drifts by 1 mJ, six
// digits of the whole would show stairs.
int digits_for(const std::vector<double>& values) {
  double low = 0, high = 0;
  bool is_first = true;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = is_first ? value : std::min(low, value);
    high = is_first ? value : std::max(high, value);
    is_first = false;
  }
  if (!(low < high)) return 6;
  const double size = std::max(std::abs(low), std::abs(high));
  const double range = high / 2 - low / 2;
  return 6 + std::clamp(static_cast<int>(std::floor(std::log10(size / range))), 0, 9);
}

std::string numbers(const std::vector<double>& values) {
  const int digits = digits_for(values);
  std::string text = "[";
  for (const double value : values) {
    if (text.size() > 1) text += ',';
    if (std::isfinite(value))
      fmt::format_to(std::back_inserter(text), "{:.{}g}", value, digits);
    else
      text += "null";
  }
  return text + "]";
}

std::string axis_json(const std::string& label, bool is_log,
                      const std::optional<std::pair<double, double>>& range) {
  std::string text = fmt::format(R"({{"label":{},"log":{})", json_string(label), is_log);
  if (range && std::isfinite(range->first) && std::isfinite(range->second) &&
      range->first < range->second && (!is_log || range->first > 0))
    text += fmt::format(R"(,"range":[{:.12g},{:.12g}])", range->first, range->second);
  return text + "}";
}

const char* style_name(Series::Style style) {
  switch (style) {
    case Series::Style::line:
      return "line";
    case Series::Style::points:
      return "points";
    case Series::Style::line_and_points:
      return "line_and_points";
    case Series::Style::dashed:
      return "dashed";
  }
  return "line";
}

std::string field_json(const Field& field) {
  constexpr std::string_view symbols = "0123456789abcdefghijklmnopqrstuvwxyz";
  TAUT_CHECK(field.value.size() == field.x.size() * field.y.size());
  TAUT_CHECK(field.classes.size() <= symbols.size());
  std::string classes, cells;
  for (const std::string& name : field.classes) {
    if (!classes.empty()) classes += ',';
    classes += json_string(name);
  }
  for (const int value : field.value) {  // a cell of no class is left empty
    const bool is_class = value >= 0 && static_cast<std::size_t>(value) < field.classes.size();
    cells += is_class ? symbols[static_cast<std::size_t>(value)] : '.';
  }
  return fmt::format(R"({{"classes":[{}],"x":{},"y":{},"cells":"{}"}})", classes, numbers(field.x),
                     numbers(field.y), cells);
}

}  // namespace

std::vector<int> Colours::assign(const Plot& plot) {
  std::vector<int> colours(plot.series.size(), -1);
  std::set<int> in_plot;
  const auto give = [&](std::size_t i, int colour) {
    colours[i] = colour;
    in_plot.insert(colour);
    in_section_.insert(colour);
    of_label_.emplace(plot.series[i].label, colour);
  };
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const auto known = of_label_.find(plot.series[i].label);
    if (plot.series[i].is_reference || known == of_label_.end()) continue;
    if (!in_plot.contains(known->second)) give(i, known->second);
  }
  for (std::size_t i = 0; i < colours.size(); ++i) {
    if (plot.series[i].is_reference || colours[i] >= 0) continue;
    int colour = 0;  // beyond the palette: its colours again, which the script draws dashed
    while (in_plot.contains(colour) || (colour < count && in_section_.contains(colour))) ++colour;
    if (colour >= count) {
      colour = 0;
      while (in_plot.contains(colour)) ++colour;
    }
    give(i, colour);
  }
  return colours;
}

std::string plot_json(const Plot& plot, const std::vector<int>& colours) {
  TAUT_CHECK(colours.size() == plot.series.size());
  std::vector<const std::vector<double>*> all_x, all_y;
  for (const Series& series : plot.series) {
    all_x.push_back(&series.x);
    all_y.push_back(&series.y);
  }
  const Axis x = axis_for(all_x, plot.log_x, plot.x_range);
  const Axis y = axis_for(all_y, plot.log_y, plot.y_range);

  std::string text = fmt::format(
      R"({{"x":{},"y":{},"equal":{},"series":[)", axis_json(plot.x_label, plot.log_x, plot.x_range),
      axis_json(plot.y_label, plot.log_y, plot.y_range), plot.equal_axes);
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series& series = plot.series[i];
    const Points points = decimate(series, x, y);
    text += fmt::format(
        "{}\n{{\"label\":{},\"style\":\"{}\",\"reference\":{},\"colour\":{},"
        "\"x\":{},\"y\":{}}}",
        i ? "," : "", json_string(series.label), style_name(series.style), series.is_reference,
        colours[i], numbers(points.x), numbers(points.y));
  }
  text += "]";
  if (plot.field) text += fmt::format(",\n\"field\":{}", field_json(*plot.field));
  text += "}";
  return text;
}

}  // namespace taut::report::detail
