// Fewer points that look the same: what a plot of some hundred pixels can show.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "taut/report/document.hpp"

namespace taut::report::detail {

/// What one axis shows.
struct Axis {
  double from = 0, to = 1;
  bool is_log = false;

  bool can_show(double value) const;    ///< finite, and positive where the axis is logarithmic
  double fraction(double value) const;  ///< 0 at `from`, 1 at `to`
};

/// The axis for these values: `range` where one is given, else all values that it can show.
Axis axis_for(const std::vector<const std::vector<double>*>& values, bool is_log,
              const std::optional<std::pair<double, double>>& range);

struct Points {
  std::vector<double> x, y;  ///< a NaN in y is a gap
};

/// Series of up to about 1500 points are kept; longer ones are thinned. Extremes stay.
Points decimate(const Series& series, const Axis& x, const Axis& y);

}  // namespace taut::report::detail
