// The table of a sweep, and its plots.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "taut/report/document.hpp"
#include "taut/sweep/plan.hpp"

namespace taut::sweep {

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< per case, in order
  std::size_t case_columns = 0;                ///< those that tell a case come first
};

std::string csv(const Table& table);
/// One line of it, and the cells of such a line.
std::string csv_line(const std::vector<std::string>& cells);
std::vector<std::string> csv_cells(std::string_view line);

/// A page: what was varied, a plot for each measure, the table. One number that varies: curves, one
/// for each combination of the others. Two: maps. Samples: points.
report::Document document(const Plan& plan, const Table& table);

}  // namespace taut::sweep
