#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "taut/base/error.hpp"
#include "taut/report/decimate_internal.hpp"
#include "taut/report/escape_internal.hpp"
#include "taut/report/method_colours.hpp"
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

/// One of `count` shades of a colour, from darker to lighter. A single one is the colour itself.
std::string shade(std::string_view colour, int index, int count) {
  constexpr double darkest = -0.5, lightest = 0.4;
  const double first = count > 2 ? darkest : 0;  // of two, one is the colour itself
  const double amount = count > 1 ? first + (lightest - first) * index / (count - 1) : 0;
  std::string text = "#";
  for (std::size_t at = 1; at < 7; at += 2) {
    const double part = std::stoi(std::string(colour.substr(at, 2)), nullptr, 16);
    const double shaded = amount < 0 ? part * (1 + amount) : part + (255 - part) * amount;
    text += fmt::format("{:02x}", static_cast<int>(std::lround(shaded)));
  }
  return text;
}

}  // namespace

std::vector<Look> looks(const Plot& plot) {
  // By label, so that plots with the same series show them alike, in whatever order they come.
  std::map<int, std::set<std::string>> labels;
  for (const Series& series : plot.series)
    if (!series.is_reference) labels[series.method].insert(series.label);
  std::vector<Look> all;
  for (const Series& series : plot.series) {
    Look look;
    if (!series.is_reference) {
      const bool has_method = series.method >= 0;
      const MethodColour base = has_method ? method_colour(static_cast<std::size_t>(series.method))
                                           : MethodColour{"#1d2430", "#f4f6f8"};
      const std::set<std::string>& own = labels[series.method];
      const int shades = has_method ? static_cast<int>(own.size()) : 1;
      look.variant = static_cast<int>(std::distance(own.begin(), own.find(series.label)));
      look.on_light = shade(base.on_light, look.variant, shades);
      look.on_dark = shade(base.on_dark, look.variant, shades);
      look.marker = std::max(0, series.method) + look.variant;
    }
    all.push_back(std::move(look));
  }
  return all;
}

std::string plot_json(const Plot& plot) {
  const std::vector<Look> look = looks(plot);
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
        "{}\n{{\"label\":{},\"style\":\"{}\",\"reference\":{},\"light\":\"{}\",\"dark\":\"{}\","
        "\"variant\":{},\"marker\":{},\"x\":{},\"y\":{}}}",
        i ? "," : "", json_string(series.label), style_name(series.style), series.is_reference,
        look[i].on_light, look[i].on_dark, look[i].variant, look[i].marker, numbers(points.x),
        numbers(points.y));
  }
  text += "]";
  if (plot.field) text += fmt::format(",\n\"field\":{}", field_json(*plot.field));
  text += "}";
  return text;
}

}  // namespace taut::report::detail
