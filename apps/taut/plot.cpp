#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "run_plan.hpp"
#include "taut/base/error.hpp"
#include "taut/report/html.hpp"
#include "taut/report/svg.hpp"
#include "taut/sweep/table.hpp"
#include "taut/text/json_text.hpp"

namespace taut::cli {
namespace {

struct PlotArguments {
  std::string input;
  std::vector<std::string> columns;
  std::string out = "plot.svg", x, title;
  bool log_x = false, log_y = false;
};

struct CsvTable {
  std::filesystem::path path;
  std::vector<std::string> names;            ///< of the columns, as they are written
  std::vector<std::vector<double>> columns;  ///< what is no number is NaN
};

CsvTable read_csv(const std::filesystem::path& path) {
  constexpr std::size_t most = std::size_t{4} << 30;
  const std::string text = io::read_text(path.string(), "a CSV file", most);
  CsvTable table{path, {}, {}};
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> cells = sweep::csv_cells(line);
    if (table.names.empty()) {
      table.names = cells;
      table.columns.resize(cells.size());
      continue;
    }
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      double value = NAN;
      if (i < cells.size())
        std::from_chars(cells[i].data(), cells[i].data() + cells[i].size(), value);
      table.columns[i].push_back(value);
    }
  }
  if (table.names.empty())
    throw Error(fmt::format("{}: found no line, expected a CSV file", path.string()));
  return table;
}

/// "node2.y (m)" is "node2.y", in m.
std::string bare(const std::string& name) { return name.substr(0, name.find(" (")); }
std::string unit(const std::string& name) {
  const std::size_t at = name.rfind(" (");
  return at == std::string::npos || !name.ends_with(')')
             ? ""
             : name.substr(at + 2, name.size() - at - 3);
}

const std::vector<double>* find_column(const CsvTable& table, const std::string& wanted,
                                       std::string& full_name) {
  for (std::size_t i = 0; i < table.names.size(); ++i)
    if (table.names[i] == wanted || bare(table.names[i]) == wanted) {
      full_name = table.names[i];
      return &table.columns[i];
    }
  return nullptr;
}

std::vector<CsvTable> read_tables(const std::string& input) {
  namespace fs = std::filesystem;
  std::error_code trouble;
  if (!fs::is_directory(input, trouble)) return {read_csv(input)};
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(input, trouble))
    if (entry.path().extension() == ".csv") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<CsvTable> tables;
  for (const fs::path& path : paths) tables.push_back(read_csv(path));
  if (tables.empty()) throw Error(fmt::format("{}: found no CSV file in this folder", input));
  return tables;
}

/// Of comparisons: "rattle_h0.01.csv" was made by rattle.
int method_of(const std::filesystem::path& path) {
  const std::string stem = path.stem().string();
  const auto& all = methods();
  int found = -1;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (stem == all[i].name || stem.starts_with(std::string(all[i].name) + "_h"))
      found = static_cast<int>(i);
  return found;
}

report::Plot make_plot(const PlotArguments& arguments, const std::vector<CsvTable>& tables) {
  report::Plot plot;
  plot.log_x = arguments.log_x;
  plot.log_y = arguments.log_y;
  std::vector<std::string> units, sources;
  for (const std::string& wanted : arguments.columns) {
    const std::size_t before = plot.series.size();
    for (const CsvTable& table : tables) {
      std::string name, x_name = table.names.front();
      const std::vector<double>* y = find_column(table, wanted, name);
      const std::vector<double>* x =
          arguments.x.empty() ? &table.columns.front() : find_column(table, arguments.x, x_name);
      if (!y || !x) continue;
      report::Series series;
      series.label = name;
      sources.push_back(table.path.stem().string());
      series.x = *x;
      series.y = *y;
      if (arguments.columns.size() == 1) series.method = method_of(table.path);
      plot.x_label = x_name == "time" ? "time (s)" : x_name;
      if (const std::string own = unit(name);
          std::find(units.begin(), units.end(), own) == units.end())
        units.push_back(own);
      plot.series.push_back(std::move(series));
    }
    if (plot.series.size() > before) continue;
    std::vector<std::string> known;
    for (const CsvTable& table : tables)
      for (const std::string& name : table.names) known.push_back(bare(name));
    const std::vector<std::string_view> names(known.begin(), known.end());
    throw Error(fmt::format("{}: found no column \"{}\"{}", arguments.input, wanted,
                            suggestion(wanted, names)));
  }
  const bool is_one = std::count(sources.begin(), sources.end(), sources[0]) ==
                      static_cast<std::ptrdiff_t>(sources.size());
  for (std::size_t i = 0; i < sources.size() && !is_one; ++i)
    plot.series[i].label =
        arguments.columns.size() == 1 ? sources[i] : sources[i] + ": " + plot.series[i].label;
  for (const std::string& each : units) plot.y_label += (plot.y_label.empty() ? "" : ", ") + each;
  if (arguments.columns.size() == 1)
    plot.y_label =
        bare(arguments.columns[0]) + (plot.y_label.empty() ? "" : " (" + plot.y_label + ")");
  plot.title = arguments.title.empty() ? std::filesystem::path(arguments.input).filename().string()
                                       : arguments.title;
  return plot;
}

ExitCode plot(const PlotArguments& arguments) {
  const bool is_html = arguments.out.ends_with(".html");
  if (!is_html && !arguments.out.ends_with(".svg"))
    throw Error(fmt::format("--out: found \"{}\", expected a name that ends in .svg or .html",
                            arguments.out));
  report::Plot made = make_plot(arguments, read_tables(arguments.input));
  const std::size_t curves = made.series.size();
  std::string text;
  if (is_html) {
    report::Document document{made.title, "", {}, {}};
    report::Section section;
    section.id = "plot";
    section.title = made.title;
    section.plots.push_back(std::move(made));
    document.sections.push_back(std::move(section));
    text = report::html(document);
  } else {
    text = report::svg(made);
  }
  write_output(arguments.out, text);
  fmt::print("{}: {} {}\n", arguments.out, curves, curves == 1 ? "curve" : "curves");
  return exit_ok;
}

}  // namespace

void add_plot(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("plot", "Plot columns of a run's tables");
  auto arguments = std::make_shared<PlotArguments>();
  command
      ->add_option("INPUT", arguments->input,
                   "A CSV file, or a folder that run or compare has written")
      ->type_name("")
      ->required();
  command
      ->add_option("COLUMN", arguments->columns,
                   "Columns to plot, with or without their units: node2.y or \"node2.y (m)\". Of a "
                   "folder, in every table that has them")
      ->type_name("")
      ->required();
  command->add_option("--out", arguments->out, "The file: .svg, or .html for a page to zoom in")
      ->type_name("FILE")
      ->capture_default_str();
  command->add_option("--x", arguments->x, "Column along the x axis, instead of the first")
      ->type_name("COLUMN");
  command->add_option("--title", arguments->title, "Title of the plot")->type_name("TEXT");
  command->add_flag("--log", arguments->log_y, "Logarithmic y axis");
  command->add_flag("--log-x", arguments->log_x, "Logarithmic x axis");
  command->footer(
      "Examples:\n"
      "  taut run two_link --out results/two_link && taut plot results/two_link node1.y node2.y\n"
      "  taut plot results/two_link/trajectory.csv node2.y --x node2.x --out path.html");
  command->callback([arguments, &chosen] { chosen = [arguments] { return plot(*arguments); }; });
}

}  // namespace taut::cli
