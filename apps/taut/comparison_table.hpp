#pragma once

#include <span>
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

/// For people: aligned, with a legend below. `sensors`: those that get columns, by number.
std::string comparison_table(const std::vector<ComparedRun>& runs,
                             std::span<const std::size_t> sensors);
/// For programs: every number in full.
std::string comparison_csv(const std::vector<ComparedRun>& runs,
                           std::span<const std::size_t> sensors);

}  // namespace taut::cli
