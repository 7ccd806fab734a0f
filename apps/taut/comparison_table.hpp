#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "taut/simulate/simulation.hpp"

namespace taut::cli {

struct ComparedRun {
  std::string_view method;
  double step = 0;
  RunReport report;
  std::string trajectory;  ///< file name, if it was recorded
};

/// For people: aligned, with a legend below.
std::string comparison_table(const std::vector<ComparedRun>& runs);
/// For programs: every number in full.
std::string comparison_csv(const std::vector<ComparedRun>& runs);

}  // namespace taut::cli
