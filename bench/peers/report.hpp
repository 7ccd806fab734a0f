// What was measured as a page with plots.
#pragma once

#include "groups.hpp"
#include "tables.hpp"

namespace peers {

class Report {
 public:
  Report(std::vector<Setup> setups, const std::string& versions);
  /// `seconds`: how long it took, of CPU.
  void add(const Group& group, const Sweep& sweep, double seconds);
  void add(const TextTable& table, double seconds);
  void write(const std::string& file);

 private:
  std::vector<Setup> setups_;
  taut::report::Document document_;
  std::vector<std::string> behind_;
};

}  // namespace peers
