// Columns of text, aligned for people.
#pragma once

#include <string>
#include <vector>

namespace taut::cli {

class TextTable {
 public:
  /// Adds a column, its cells to the left or right.
  TextTable& left(std::string heading);
  TextTable& right(std::string heading);

  /// As many cells as columns.
  void row(std::vector<std::string> cells);

  /// The lines, each after `indent`; the headings and a rule first, unless all headings are empty.
  std::string text(const std::string& indent = "") const;

 private:
  struct Column {
    std::string heading;
    bool to_right;
  };
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace taut::cli
