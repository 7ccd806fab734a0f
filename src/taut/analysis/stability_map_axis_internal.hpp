// The axes of a stability map's picture: from numbers to pixels, and where the ticks are.
#pragma once

#include <string>
#include <vector>

namespace taut::detail {

struct Tick {
  double value;
  std::string label;  ///< SVG text content; empty for a minor tick
};

class Axis {
 public:
  /// Numbers from `from` to `to` are drawn from pixel `start` to `end`.
  Axis(double from, double to, bool logarithmic, double start, double end);

  double pixel(double value) const;
  std::vector<Tick> ticks() const;
  double start() const { return start_; }
  double end() const { return end_; }

 private:
  std::vector<Tick> linear_ticks() const;
  std::vector<Tick> logarithmic_ticks() const;

  double from_, to_, start_, end_;
  bool logarithmic_;
};

/// The edges of cells around `values`, one more than there are values.
std::vector<double> cell_edges(const std::vector<double>& values, bool logarithmic);

}  // namespace taut::detail
