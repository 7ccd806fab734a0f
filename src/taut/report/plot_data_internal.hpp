// A plot as the JSON that the page's script draws from.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "taut/report/document.hpp"

namespace taut::report::detail {

/// Which colour of the palette a series gets. The same label has the same colour in every plot
/// where that is possible: a reader learns once which method is blue.
class Colours {
 public:
  static constexpr int count = 7;  ///< as in assets/theme.js

  void begin_section() { in_section_.clear(); }
  std::vector<int> assign(const Plot& plot);

 private:
  std::map<std::string, int> of_label_;
  std::set<int> in_section_;
};

/// Safe inside <script>.
std::string plot_json(const Plot& plot, const std::vector<int>& colours);

}  // namespace taut::report::detail
