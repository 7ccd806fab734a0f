// A plot as the JSON that the page's script draws from.
#pragma once

#include <string>
#include <vector>

#include "taut/report/document.hpp"

namespace taut::report::detail {

/// How a series is drawn. Its colour is that of its method. Several series of one method in a plot
/// get shades of it, and different dashes and markers.
struct Look {
  std::string on_light, on_dark;  ///< "#rrggbb"
  int variant = 0;                ///< counts the labels of the same method in the plot
  int marker = 0;
};
std::vector<Look> looks(const Plot& plot);

/// Safe inside <script>.
std::string plot_json(const Plot& plot);

}  // namespace taut::report::detail
