// Measured values over time, from a table as programs write them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace taut {

struct MeasuredTable {
  std::vector<std::string> columns;         ///< without the time, and without units
  std::vector<double> times;                ///< s, increasing
  std::vector<std::vector<double>> values;  ///< per time, of each column; NaN: not measured
};

/// Comma-separated, with a line of names: "t (s),tip (m)". The first column is the time, in s.
/// Empty cells and "nan" were not measured. Lines that begin with # are left aside. Throws Error
/// with `origin`, line, and what was found.
MeasuredTable parse_measured(std::string_view text, const std::string& origin);
MeasuredTable read_measured(const std::string& path);

}  // namespace taut
