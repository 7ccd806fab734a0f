#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "taut/analysis/stability_map_axis_internal.hpp"

namespace taut::detail {
namespace {

std::string power_of_ten(int exponent) {
  if (exponent >= -3 && exponent <= 4) return fmt::format("{:g}", std::pow(10., exponent));
  // A minus sign as long as in print; SVG has no superscript that all viewers know.
  return fmt::format(R"(10<tspan dy="-6" font-size="10">{}{}</tspan>)", exponent < 0 ? "−" : "",
                     std::abs(exponent));
}

}  // namespace

Axis::Axis(double from, double to, bool logarithmic, double start, double end)
    : from_(from), to_(to), start_(start), end_(end), logarithmic_(logarithmic) {}

double Axis::pixel(double value) const {
  const double part = logarithmic_ ? std::log(value / from_) / std::log(to_ / from_)
                                   : (value - from_) / (to_ - from_);
  return start_ + part * (end_ - start_);
}

std::vector<Tick> Axis::ticks() const {
  return logarithmic_ ? logarithmic_ticks() : linear_ticks();
}

std::vector<Tick> Axis::linear_ticks() const {
  const double rough = (to_ - from_) / 6;
  const double decade = std::pow(10., std::floor(std::log10(rough)));
  double spacing = 10 * decade;
  for (const double factor : {5., 2., 1.})
    if (rough <= factor * decade) spacing = factor * decade;
  std::vector<Tick> ticks;
  for (double i = std::ceil(from_ / spacing); i * spacing <= to_ * (1 + 1e-12); ++i)
    ticks.push_back({i * spacing, fmt::format("{:.6g}", i * spacing)});
  return ticks;
}

std::vector<Tick> Axis::logarithmic_ticks() const {
  const double decades = std::log10(to_ / from_);
  const int stride = std::max(1, static_cast<int>(std::ceil(decades / 9)));
  std::vector<Tick> ticks;
  for (int k = static_cast<int>(std::floor(std::log10(from_))); std::pow(10., k) <= to_; ++k) {
    for (int digit = 1; digit <= 9; ++digit) {
      const double value = digit * std::pow(10., k);
      if (value < from_ * (1 - 1e-12) || value > to_ * (1 + 1e-12)) continue;
      if (stride > 1 && digit > 1) continue;
      const bool between = decades < 2.2 && (digit == 2 || digit == 5);
      std::string label;
      if (digit == 1 && k % stride == 0) label = power_of_ten(k);
      if (between) label = fmt::format("{:g}", value);
      ticks.push_back({value, label});
    }
  }
  return ticks;
}

std::vector<double> cell_edges(const std::vector<double>& values, bool logarithmic) {
  const auto to = [&](double x) { return logarithmic ? std::log(x) : x; };
  const auto back = [&](double x) { return logarithmic ? std::exp(x) : x; };
  if (values.size() == 1)
    return logarithmic ? std::vector{values[0] / 2, values[0] * 2}
                       : std::vector{values[0] - 0.5, values[0] + 0.5};
  std::vector<double> edges;
  const std::size_t n = values.size();
  edges.push_back(back(to(values[0]) - 0.5 * (to(values[1]) - to(values[0]))));
  for (std::size_t i = 1; i < n; ++i)
    edges.push_back(back(0.5 * (to(values[i - 1]) + to(values[i]))));
  edges.push_back(back(to(values[n - 1]) + 0.5 * (to(values[n - 1]) - to(values[n - 2]))));
  return edges;
}

}  // namespace taut::detail
