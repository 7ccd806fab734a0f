#include "report.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

#include "taut/machine.hpp"
#include "taut/report/html.hpp"

namespace peers {
namespace {

taut::report::Table translate(const TextTable& table) {
  return {table.title, table.columns, table.rows};
}

/// The least cost of each engine at each level of error; in `how`, what it was reached with.
taut::report::Table costs(const Sweep& sweep, const std::vector<Setup>& setups, std::size_t w,
                          std::string& how) {
  taut::report::Table table;
  table.caption = fmt::format("{} {}: µs of CPU per simulated ms, at errors up to",
                              sweep.scene.name, sweep.scene.windows[w].name);
  table.columns = {"engine"};
  for (const double error : error_levels()) table.columns.push_back(fmt::format("{:.0e} m", error));
  for (const std::string& engine : engines_of(setups)) {
    std::vector<std::string> row{engine};
    std::string of_engine = why_not(sweep, setups, engine);
    const Sample* before = nullptr;
    for (const double error : error_levels()) {
      const Sample* sample = sweep.cheapest(w, setups, engine, error);
      row.push_back(sample ? three_digits(sample->windows[w].time) : "—");
      if (sample && sample != before)
        of_engine += fmt::format("{}{}", of_engine.empty() ? "" : "; ", name_of(*sample, setups));
      before = sample;
    }
    if (!of_engine.empty()) how += fmt::format(" {}: {}.", engine, of_engine);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Report::Report(std::vector<Setup> setups, const std::string& versions)
    : setups_(std::move(setups)) {
  document_.title = "taut beside other engines";
  document_.subtitle =
      "The same scenes, one definition of each; every engine in the ways that its users have it, "
      "with "
      "shorter and shorter steps";
  document_.facts = {{"versions", versions},
                     {"processor", taut::cli::processor_name()},
                     {"compiler", taut::cli::compiler_name()},
                     {"day", taut::cli::today()},
                     {"time", "CPU time of one core; medians of runs in turn where it is cheapest"},
                     {"flags", "-O2 for what is built here; engines as Debian has them"}};
}

void Report::add(const Group& group, const Sweep& sweep, double seconds) {
  if (document_.sections.empty() || document_.sections.back().id != group.name) {
    taut::report::Section section;
    section.id = group.name;
    section.title = group.title;
    section.description = group.words;
    document_.sections.push_back(std::move(section));
  }
  taut::report::Section& section = document_.sections.back();
  section.seconds += seconds;
  for (std::size_t w = 0; w < sweep.scene.windows.size(); ++w) {
    taut::report::Plot plot = work_precision(sweep, setups_, w);
    std::string how;
    section.tables.push_back(costs(sweep, setups_, w, how));
    plot.caption = fmt::format("{} ({}) Further down and to the left is better.{}",
                               sweep.scene.about, size_of(sweep, w), how);
    section.plots.push_back(std::move(plot));
  }
  const TextTable equal = at_equal_steps(sweep, setups_);
  if (!equal.rows.empty()) section.tables.push_back(translate(equal));
  for (const std::string& line : behind(sweep, setups_)) behind_.push_back(line);
}

void Report::add(const TextTable& table, double seconds) {
  taut::report::Section section;
  section.title = table.title;
  section.id = fmt::format("table{}", document_.sections.size());
  section.description = table.about;
  section.seconds = seconds;
  section.tables = {translate(table)};
  document_.sections.push_back(std::move(section));
}

void Report::write(const std::string& file) {
  taut::report::Section section;
  section.id = "behind";
  section.title = "Where taut is not ahead";
  section.description = behind_.empty()
                            ? "Nowhere, among these scenes."
                            : "Where another engine is cheaper for the same error, or at an equal "
                              "step keeps joints better "
                              "with coordinates of bodies. (Joint angles keep them anyway.)";
  taut::report::Table table;
  table.columns = {"scene", "what was measured"};
  for (const std::string& line : behind_) {
    const std::size_t colon = line.find(": ");
    table.rows.push_back({line.substr(0, colon), line.substr(colon + 2)});
  }
  if (!table.rows.empty()) section.tables = {std::move(table)};
  document_.sections.push_back(std::move(section));
  std::ofstream out(file);
  out << taut::report::html(document_);
  if (!out) throw std::runtime_error("cannot write " + file);
}

}  // namespace peers
