#include "taut/report/svg.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "taut/report/decimate_internal.hpp"
#include "taut/report/escape_internal.hpp"
#include "taut/report/method_colours.hpp"
#include "taut/report/number_text.hpp"

namespace taut::report {
namespace {

using detail::Axis;
using detail::escape_html;

constexpr double width = 860, left = 76, right = 20, top = 44, plot_height = 360, bottom = 54;
constexpr double legend_line = 20, letter = 6.6;  // px: height of a line, width of a letter
constexpr double plot_width = width - left - right;

/// Round numbers within an axis, about `count` of them.
std::vector<double> ticks(const Axis& axis, int count) {
  std::vector<double> found;
  if (axis.is_log) {
    const double low = std::log10(axis.from), high = std::log10(axis.to);
    const double every = std::max(1.0, std::ceil((high - low) / count));
    for (double e = std::ceil(low - 1e-9); e <= high + 1e-9; e += every)
      found.push_back(std::pow(10, e));
    return found;
  }
  const double raw = (axis.to - axis.from) / count;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double part : {1.0, 2.0, 5.0})
    if (part * power >= raw * (1 - 1e-9)) {
      step = part * power;
      break;
    }
  for (double i = std::ceil(axis.from / step - 1e-9); i * step <= axis.to + 1e-9 * step; ++i)
    found.push_back(i == 0 ? 0 : i * step);
  return found;
}

class Writer {
 public:
  explicit Writer(const Plot& plot) : plot_(plot) {
    std::vector<const std::vector<double>*> x, y;
    for (const Series& series : plot.series) {
      x.push_back(&series.x);
      y.push_back(&series.y);
    }
    x_ = detail::axis_for(x, plot.log_x, plot.x_range);
    y_ = detail::axis_for(y, plot.log_y, plot.y_range);
    if (!plot.log_y && !plot.y_range) {  // a curve does not run along the frame
      const double margin = 0.04 * (y_.to - y_.from);
      y_.from -= margin;
      y_.to += margin;
    }
  }

  std::string write() {
    place_legend();
    const double height = top + plot_height + bottom + legend_line * legend_lines_;
    std::string body = frame();
    for (std::size_t i = 0; i < plot_.series.size(); ++i) body += curve(i);
    body += legend();
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1:.0f}\" width=\"{0}\" "
        "height=\"{1:.0f}\" role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"12\">\n"
        "<title>{2}</title>\n<style>{3}</style>\n"
        "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{4}</svg>\n",
        width, height, escape_html(plot_.title), style(), body);
  }

 private:
  double px(double x) const { return left + plot_width * x_.fraction(x); }
  double py(double y) const { return top + plot_height * (1 - y_.fraction(y)); }

  MethodColour colour(std::size_t i) const {
    const Series& series = plot_.series[i];
    if (series.is_reference) return {"#9aa4b0", "#7c8794"};
    // Grey, the first of the palette, is what references look like.
    return method_colour(series.method >= 0 ? static_cast<std::size_t>(series.method)
                                            : 1 + (i + 3) % (method_colour_count() - 1));
  }
  std::string style() const {
    std::string light, dark;
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      light += fmt::format(".s{}{{stroke:{}}}", i, colour(i).on_light);
      dark += fmt::format(".s{}{{stroke:{}}}", i, colour(i).on_dark);
    }
    return ".paper{fill:#fff}text{fill:#1d2430}.grid{stroke:#e3e7ec}.frame{stroke:#9aa4b0;fill:"
           "none}"
           ".s{fill:none;stroke-width:1.8;stroke-linejoin:round}" +
           light +
           "@media(prefers-color-scheme:dark){.paper{fill:#14181f}text{fill:#e6eaf0}"
           ".grid{stroke:#2a313c}.frame{stroke:#5c6b7a}" +
           dark + "}";
  }
  std::string frame() const {
    std::string out = fmt::format("<text x=\"{}\" y=\"26\" font-size=\"16\">{}</text>\n", left,
                                  escape_html(plot_.title));
    for (const double x : ticks(x_, 8))
      out += fmt::format(
          "<path class=\"grid\" d=\"M{0:.1f} {1}V{2}\"/><text x=\"{0:.1f}\" y=\"{3}\" "
          "text-anchor=\"middle\">{4}</text>\n",
          px(x), top, top + plot_height, top + plot_height + 18, number_text(x));
    for (const double y : ticks(y_, 6))
      out += fmt::format(
          "<path class=\"grid\" d=\"M{1} {0:.1f}H{2}\"/><text x=\"{3}\" y=\"{0:.1f}\" "
          "text-anchor=\"end\" dominant-baseline=\"middle\">{4}</text>\n",
          py(y), left, left + plot_width, left - 8, number_text(y));
    out += fmt::format(
        "<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n"
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n"
        "<text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
        left, top, plot_width, plot_height, left + plot_width / 2, top + plot_height + 40,
        escape_html(plot_.x_label), top + plot_height / 2, escape_html(plot_.y_label));
    return out;
  }
  std::string curve(std::size_t i) const {
    const Series& series = plot_.series[i];
    const detail::Points points = detail::decimate(series, x_, y_);
    std::string path;
    bool is_down = false;
    for (std::size_t k = 0; k < points.x.size(); ++k) {
      const bool is_there = x_.can_show(points.x[k]) && y_.can_show(points.y[k]);
      if (is_there)
        path += fmt::format("{}{:.1f} {:.1f}", is_down ? "L" : "M", px(points.x[k]),
                            std::clamp(py(points.y[k]), -1e4, 1e4));
      is_down = is_there;
    }
    if (path.empty()) return "";
    const bool is_dashed = series.style == Series::Style::dashed;
    return fmt::format("<path class=\"s s{}\"{} d=\"{}\"/>\n", i,
                       is_dashed ? " stroke-dasharray=\"6 4\"" : "", path);
  }
  // Entries stand side by side, as many as fit.
  void place_legend() {
    if (plot_.series.size() < 2) return;
    double x = 0;
    legend_lines_ = 1;
    for (const Series& series : plot_.series) {
      const double size = 42 + letter * static_cast<double>(series.label.size());
      if (x > 0 && x + size > plot_width) {
        x = 0;
        ++legend_lines_;
      }
      places_.push_back({x, static_cast<double>(legend_lines_ - 1) * legend_line});
      x += size;
    }
  }
  std::string legend() const {
    std::string out;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const double x = left + places_[i].first;
      const double y = top + plot_height + bottom + 6 + places_[i].second;
      out += fmt::format(
          "<path class=\"s s{}\" d=\"M{} {}h22\"/><text x=\"{}\" y=\"{}\" "
          "dominant-baseline=\"middle\">{}</text>\n",
          i, x, y, x + 28, y, escape_html(plot_.series[i].label));
    }
    return out;
  }

  const Plot& plot_;
  Axis x_, y_;
  int legend_lines_ = 0;
  std::vector<std::pair<double, double>> places_;
};

}  // namespace

std::string svg(const Plot& plot) { return Writer(plot).write(); }

}  // namespace taut::report
