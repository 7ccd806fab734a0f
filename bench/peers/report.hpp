// What was measured as a page with plots.
#pragma once

#include "groups.hpp"
#include "tables.hpp"

namespace peers {

class Report {
 public:
  Report(std::vector<Setup> setups, const std::string& versions);
  void add(const Group& group, const Sweep& sweep);
  void add(const TextTable& table);
  void write(const std::string& file);

 private:
  std::vector<Setup> setups_;
  taut::report::Document document_;
  std::vector<std::string> behind_;
};

}  // namespace peers
