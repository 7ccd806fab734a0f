#include "taut/analysis/stability_map_picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "taut/analysis/stability_map_axis_internal.hpp"
#include "taut/base/markup.hpp"

namespace taut {
namespace {

using detail::Axis;

constexpr double width = 900, height = 560;
constexpr double left = 92, right = 672, top = 84, bottom = 484;  // of the plot
constexpr double legend_x = 700;

struct Kind {
  Behaviour behaviour;
  const char *colour, *name, *meaning;
};
constexpr std::array<Kind, 5> kinds{{
    {Behaviour::stable, "#56B4E9", "stable", "settles"},
    {Behaviour::unsettled, "#009E73", "unsettled", "an error is left at the end"},
    {Behaviour::oscillating, "#F0E442", "oscillating", "bounded, changes sign"},
    {Behaviour::divergent, "#D55E00", "divergent", "grows or blows up"},
    {Behaviour::not_run, "#DDDDDD", "not run", "interrupted"},
}};
const Kind& kind_of(Behaviour behaviour) { return kinds[static_cast<std::size_t>(behaviour)]; }

std::string text_at(double x, double y, const std::string& content, const std::string& more = "") {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" {}>{}</text>)"
                     "\n",
                     x, y, more, content);
}

std::string line(double x1, double y1, double x2, double y2, const char* style) {
  return fmt::format(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" {}/>)"
                     "\n",
                     x1, y1, x2, y2, style);
}

std::string frame(const Axis& x, const Axis& y, const std::string& x_label,
                  const std::string& y_label) {
  std::string svg;
  for (const detail::Tick& tick : x.ticks()) {
    const double at = x.pixel(tick.value);
    svg += line(at, bottom, at, bottom + (tick.label.empty() ? 4 : 7), R"(stroke="#333")");
    if (!tick.label.empty()) svg += text_at(at, bottom + 23, tick.label, R"(text-anchor="middle")");
  }
  for (const detail::Tick& tick : y.ticks()) {
    const double at = y.pixel(tick.value);
    svg += line(left - (tick.label.empty() ? 4 : 7), at, left, at, R"(stroke="#333")");
    if (!tick.label.empty())
      svg += text_at(left - 12, at + 4.5, tick.label, R"(text-anchor="end")");
  }
  svg += fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="none" stroke="#333"/>)"
                     "\n",
                     left, top, right - left, bottom - top);
  svg +=
      text_at((left + right) / 2, bottom + 52, x_label, R"(text-anchor="middle" font-size="15")");
  svg += text_at(0, 0, y_label,
                 fmt::format(R"(text-anchor="middle" font-size="15" transform='translate(26 {}) )"
                             "rotate(-90)'",
                             (top + bottom) / 2));
  return svg;
}

/// A line with a white one below it, so that it stands out on every colour.
std::string curve(const std::string& points, const char* style) {
  std::string svg;
  for (const char* stroke :
       {R"(stroke="white" stroke-width="5")", R"(stroke="black" stroke-width="2.2")"})
    svg += fmt::format(R"(<polyline points="{}" fill="none" clip-path='url(#plot)' {} {}/>)"
                       "\n",
                       points, stroke, style);
  return svg;
}

constexpr const char* dashes = R"(stroke-dasharray="7 5")";

class Legend {
 public:
  void kind(const Kind& kind, const std::string& mark) {
    svg +=
        mark.empty()
            ? fmt::format(R"(<rect x="{}" y="{}" width="22" height="22" fill="{}" stroke="#333"/>)"
                          "\n",
                          legend_x, y_, kind.colour)
            : mark;
    words(kind.name, kind.meaning);
  }
  void stroke(const char* style, const char* name, const char* meaning) {
    svg += line(legend_x - 4, y_ + 11, legend_x + 26, y_ + 11,
                fmt::format(R"(stroke="black" stroke-width="2.2" {})", style).c_str());
    words(name, meaning);
  }
  double middle() const { return y_ + 11; }
  std::string svg;

 private:
  void words(const char* name, const char* meaning) {
    svg += text_at(legend_x + 34, y_ + 9, name, R"(font-weight="600")");
    svg += text_at(legend_x + 34, y_ + 25, meaning, R"(font-size="12" fill="#444")");
    y_ += 46;
  }
  double y_ = top + 4;
};

std::string document(const MapLabels& labels, const std::string& body) {
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" )"
      R"(font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif" font-size="13" fill="#111">
<title>{2}</title>
<rect width="{0}" height="{1}" fill="white"/>
<clipPath id="plot"><rect x="{3}" y="{4}" width="{5}" height="{6}"/></clipPath>
<text x="{3}" y="36" font-size="19" font-weight="600">{2}</text>
<text x="{3}" y="60" font-size="13.5" fill="#444">{7}</text>
{8}</svg>
)",
      width, height, escape_markup(labels.title), left, top, right - left, bottom - top,
      escape_markup(labels.subtitle), body);
}

bool present(const StabilityMap& map, Behaviour behaviour) {
  return std::any_of(map.cells.begin(), map.cells.end(),
                     [&](const StabilityCell& cell) { return cell.behaviour == behaviour; });
}

std::string field_svg(const StabilityMap& map, const MapLabels& labels,
                      const PredictedCurve& predicted) {
  const bool log_x = spans_a_decade(map.steps.front(), map.steps.back());
  const bool log_y = spans_a_decade(map.values.front(), map.values.back());
  const std::vector<double> x_edges = detail::cell_edges(map.steps, log_x);
  const std::vector<double> y_edges = detail::cell_edges(map.values, log_y);
  const Axis x(x_edges.front(), x_edges.back(), log_x, left, right);
  const Axis y(y_edges.front(), y_edges.back(), log_y, bottom, top);

  std::string svg = "<g shape-rendering=\"crispEdges\">\n";
  for (std::size_t v = 0; v < map.values.size(); ++v) {
    for (std::size_t s = 0, end; s < map.steps.size(); s = end) {  // neighbours alike are one
      const Behaviour behaviour = map.at(s, v).behaviour;
      for (end = s + 1; end < map.steps.size() && map.at(end, v).behaviour == behaviour;) ++end;
      const double x0 = x.pixel(x_edges[s]), y1 = y.pixel(y_edges[v + 1]);
      svg += fmt::format(R"(<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" fill="{}"/>)"
                         "\n",
                         x0, y1, x.pixel(x_edges[end]) - x0, y.pixel(y_edges[v]) - y1,
                         kind_of(behaviour).colour);
    }
  }
  svg += "</g>\n";

  Legend legend;
  for (const Kind& kind : kinds)
    if (present(map, kind.behaviour)) legend.kind(kind, "");
  const auto add_curve = [&](double StepLimits::*limit, const char* style, const char* name,
                             const char* meaning) {
    std::string points;
    for (std::size_t i = 0; i < predicted.values.size(); ++i) {
      const double h = predicted.limits[i].*limit;
      // Far outside is as good as at infinity, and log needs h > 0.
      if (h > 0)
        points += fmt::format("{:.2f},{:.2f} ",
                              x.pixel(std::clamp(h, 1e-3 * x_edges.front(), 1e3 * x_edges.back())),
                              y.pixel(predicted.values[i]));
    }
    if (points.empty()) return;
    svg += curve(points, style);
    legend.stroke(style, name, meaning);
  };
  add_curve(&StepLimits::stable, "", "predicted limit", "of stability");
  add_curve(&StepLimits::monotone, dashes, "predicted onset", "of oscillation");
  return document(labels,
                  svg + frame(x, y, "step h (s)", escape_markup(labels.parameter)) + legend.svg);
}

/// Marks differ in shape as well as in colour.
std::string mark(const Kind& kind, double x, double y) {
  const auto path = [&](const char* d) {
    return fmt::format(R"(<path transform='translate({:.2f} {:.2f})' d="{}" fill="{}" )"
                       R"(stroke="#222" stroke-width="0.9"/>)"
                       "\n",
                       x, y, d, kind.colour);
  };
  switch (kind.behaviour) {
    case Behaviour::unsettled:
      return path("M-4.5,-4.5H4.5V4.5H-4.5Z");
    case Behaviour::oscillating:
      return path("M0,-6L6,0L0,6L-6,0Z");
    case Behaviour::divergent:
      return path("M0,-6L5.8,4.5H-5.8Z");
    default:
      return fmt::format(
          R"(<circle cx="{:.2f}" cy="{:.2f}" r="4.6" fill="{}" stroke="#222" stroke-width="0.9"/>)"
          "\n",
          x, y, kind.colour);
  }
}

std::string line_svg(const StabilityMap& map, const MapLabels& labels,
                     const PredictedCurve& predicted) {
  constexpr double least = 1e-16;  // shown for zero
  double low = 1e300, high = least;
  for (const StabilityCell& cell : map.cells) {
    if (cell.behaviour == Behaviour::not_run || cell.behaviour == Behaviour::divergent) continue;
    low = std::min(low, std::max(least, cell.final_error));
    high = std::max(high, std::max(least, cell.final_error));
  }
  if (low > high) low = high = 1;
  low = std::pow(10., std::floor(std::log10(low) - 0.2));
  high = std::pow(10., std::ceil(std::log10(high) + 0.2));
  const bool log_x = spans_a_decade(map.steps.front(), map.steps.back());
  const std::vector<double> edges = detail::cell_edges(map.steps, log_x);
  const Axis x(edges.front(), edges.back(), log_x, left, right);
  const Axis y(low, high, true, bottom, top + 36);  // room for what diverged

  std::string svg;
  for (const detail::Tick& tick : y.ticks())
    if (!tick.label.empty())
      svg += line(left, y.pixel(tick.value), right, y.pixel(tick.value), R"(stroke="#e4e4e4")");
  if (present(map, Behaviour::divergent)) {
    svg += line(left, top + 30, right, top + 30, R"(stroke="#999" stroke-dasharray="2 3")");
    svg += text_at(left - 12, top + 20, "diverged", R"(text-anchor="end" font-size="12")");
  }
  Legend legend;
  if (!predicted.limits.empty())
    if (const double h = predicted.limits.front().stable; h > edges.front() && h < edges.back()) {
      svg += curve(fmt::format("{0:.2f},{1} {0:.2f},{2}", x.pixel(h), top, bottom), "");
      legend.stroke("", "predicted limit", "of stability");
    }
  for (const StabilityCell& cell : map.cells) {
    if (cell.behaviour == Behaviour::not_run) continue;
    const bool diverged = cell.behaviour == Behaviour::divergent;
    svg += mark(kind_of(cell.behaviour), x.pixel(cell.step),
                diverged ? top + 16 : y.pixel(std::max(least, cell.final_error)));
  }
  for (const Kind& kind : kinds)
    if (kind.behaviour != Behaviour::not_run && present(map, kind.behaviour))
      legend.kind(kind, mark(kind, legend_x + 11, legend.middle()));
  return document(
      labels, svg +
                  frame(x, y, "step h (s)", "largest |C| in the last quarter of the run (m; rad)") +
                  legend.svg);
}

}  // namespace

std::string stability_map_svg(const StabilityMap& map, const MapLabels& labels,
                              const PredictedCurve& predicted) {
  return map.values.empty() ? line_svg(map, labels, predicted) : field_svg(map, labels, predicted);
}

std::string stability_map_csv(const StabilityMap& map, const std::string& parameter,
                              const std::vector<StepLimits>& limits) {
  std::string csv = "step,";
  if (!map.values.empty()) csv += parameter + ",";
  csv +=
      "behaviour,steps,largest_error,final_error,sign_changes,predicted_stable_step,"
      "predicted_monotone_step\n";
  for (std::size_t i = 0; i < map.cells.size(); ++i) {
    const StabilityCell& cell = map.cells[i];
    csv += fmt::format("{},", cell.step);
    if (!map.values.empty()) csv += fmt::format("{},", cell.value);
    csv += fmt::format("{},{},{},{},{},", behaviour_text(cell.behaviour), cell.steps,
                       cell.largest_error, cell.final_error, cell.sign_changes);
    const std::size_t v = i / map.steps.size();
    csv += v < limits.size() ? fmt::format("{},{}\n", limits[v].stable, limits[v].monotone)
                             : std::string(",\n");
  }
  return csv;
}

}  // namespace taut
