// What the writers of tables share: lines of numbers in a file that grows.
#pragma once

#include <fmt/core.h>

#include <iterator>
#include <string>
#include <string_view>

#include "taut/record/growing_file.hpp"
#include "taut/record/run_writer.hpp"
#include "taut/text/csv_word.hpp"

namespace taut::io::detail {

/// Numbers are written so that they read back exactly.
class CsvWriter : public RunWriter {
 public:
  explicit CsvWriter(const RunTarget& target) : system_(target.scene.system), file_(target.path) {
    line_ = "time";
  }

  void flush() override { file_.flush(); }
  void finish(const RunReport&) override { file_.finish(); }
  std::filesystem::path place() const override { return file_.place(); }

 protected:
  /// A column of the header, or a word.
  void add_column(std::string_view name) {
    line_ += ',';
    line_ += csv_word(name);
  }
  void end_header() { end_line(); }

  void begin_line(double time) { fmt::format_to(std::back_inserter(line_), "{}", time); }
  template <class Values>
  void add(const Values& values) {
    for (const double value : values) fmt::format_to(std::back_inserter(line_), ",{}", value);
  }
  void end_line() {
    line_ += '\n';
    file_.write(line_);
    line_.clear();
  }
  /// The lines so far are a whole record.
  void keep() { file_.end_record(); }
  void end_record() {
    end_line();
    keep();
  }

  const System& system_;

 private:
  GrowingFile file_;
  std::string line_;
};

}  // namespace taut::io::detail
