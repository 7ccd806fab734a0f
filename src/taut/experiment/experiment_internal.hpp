// An experiment as it is in its file, and what its runs give.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "taut/experiment/experiment.hpp"
#include "taut/report/document.hpp"
#include "taut/scene/scene.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut::report::detail {

/// What is not known.
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();


/// One simulation. Lists in the file are spread out into one of these each.
struct RunSpec {
  std::string id, label;
  std::string scene;  ///< a built-in one, or a file
  std::string method;
  std::vector<OptionValue> options;
  std::vector<OptionValue> beside;  ///< options with which each step is made once more, for
                                    ///< comparison, from the same state
  std::string solver = "auto";
  std::vector<io::Setting> settings;
  double step = 0, duration = 0;  ///< 0: the scene's
  std::string start;              ///< settle or as_is; empty: the scene's
  int halvings = -1;              ///< of a step that does not converge; −1: the default
  std::string best_by;  ///< of all runs with this id only the one that is smallest in this is kept
  std::string permit;   ///< a metric: runs in which it is above `permitted` do not count there
  double permitted = 0;
  bool is_truth = false;  ///< the others' final states are compared with this one's
  bool waits = false;     ///< left out while its method does not exist
};

struct RunData {
  RunSpec spec;
  io::Scene scene;
  RunReport report;
  std::map<std::string, std::vector<double>> series;  ///< "time" among them
  VecX lambda;                                        ///< of the last step
  std::map<std::string, double> metrics;
};

/// Where a number in a claim comes from.
struct Quantity {
  std::string name;
  std::string run;     ///< an id, or a prefix ending in * for `over`
  std::string metric;  ///< of the run as a whole …
  std::string series;  ///< … or a series of it, condensed by `take`
  std::string minus;   ///< an expression in t, taken off the series first
  /// max, min, max_abs, last, mean, spread, settles, leaves; over several runs: slope, min, max,
  /// largest_while, least_where
  std::string take;
  std::string against;          ///< the other metric, on the x axis: step for slope, say
  std::string from, until;      ///< expressions: the part of the series that counts
  double skip = 0;              ///< so many records of the series, from the start, do not count
  std::optional<double> level;  ///< for settles, leaves and least_where
  struct Horizon {
    std::string scene;
    double perturbation = 1e-10, level = 0.01;
  };
  std::optional<Horizon> horizon;  ///< how long a chaotic motion can be told at all
};

struct ClaimSpec {
  std::string text, measure, unit, remark;
  std::optional<double> at_least, at_most;
  std::string waits_for;  ///< a method that does not exist yet
};

struct PlotSpec {
  std::string title, caption, x, y, x_label, y_label;
  std::vector<std::string> runs;  ///< ids or prefixes with *; empty: all
  bool log_x = false, log_y = false, reference = false, points = false, equal_axes = false;
  std::vector<std::pair<std::string, std::string>> also;  ///< label, a further series of each run
  std::string group;  ///< a sweep: one series per method, a point per run
  std::vector<std::pair<std::string, std::string>> formulas;             ///< label, expression in t
  std::vector<std::pair<std::string, std::pair<double, double>>> marks;  ///< label, (x, y)
  std::optional<std::pair<double, double>> x_range, y_range, formula_range;
};

/// The plane of Baumgarte's gains times the step, measured and predicted.
struct RegionSpec {
  std::string title, caption;
  double alpha_to = 2.5, beta_to = 2.5;
  int cells = 50;
};

/// The surfaces of a run at its end, as a picture.
struct PictureSpec {
  std::string title, caption, run;
  Vec3 from = Vec3(1, 0.7, 2);  ///< where the viewer is, seen from the scene
};

struct TableSpec {
  std::string caption;
  std::vector<std::string> runs, columns;
  std::map<std::string, std::string> labels;  ///< of columns, where they are not known
};

struct Experiment {
  std::string id, source, title, description;
  std::vector<std::pair<std::string, std::string>> choices;
  std::vector<RunSpec> runs;
  std::vector<std::pair<std::string, std::string>> metrics;  ///< name, expression over others
  std::vector<PlotSpec> plots;
  std::vector<PictureSpec> pictures;
  std::vector<TableSpec> tables;
  std::vector<RegionSpec> regions;
  std::vector<Quantity> quantities;
  std::vector<ClaimSpec> claims;
  bool serial = false;  ///< times are compared: one run at a time
};

Experiment read_experiment(const std::string& text, const std::string& origin);

/// Whether a run has to wait for its method.
bool is_waiting(const RunSpec& run);

/// All runs that need not wait, in the order of the file. Empty when it was stopped.
std::vector<RunData> perform(const Experiment& experiment, const ExperimentOptions& options);

/// Whether `pattern`, an id or a prefix ending in *, names this run.
bool matches(const std::string& pattern, const std::string& id);

/// The values of all quantities, by name. NaN where one cannot be had, as of runs that wait.
std::map<std::string, double> measure(const Experiment& experiment,
                                      const std::vector<RunData>& runs);
std::vector<Claim> judge(const Experiment& experiment, const std::map<std::string, double>& values);
Plot draw(const PlotSpec& spec, const std::vector<RunData>& runs);
Table tabulate(const TableSpec& spec, const std::vector<RunData>& runs);
Picture depict(const PictureSpec& spec, const std::vector<RunData>& runs);

struct Region {
  Plot plot;
  double disagreement = 0;  ///< share of the cells where measurement and prediction differ
};
Region map_region(const RegionSpec& spec);

/// The value of an expression over named numbers.
double evaluate(const std::string& expression, const std::map<std::string, double>& values);

}  // namespace taut::report::detail
