// An experiment as its file describes it, and the results of its runs.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "taut/experiment/experiment.hpp"
#include "taut/model/rows.hpp"
#include "taut/report/document.hpp"
#include "taut/scene/scene.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut::experiment::detail {

using report::Claim;
using report::Picture;
using report::Plot;
using report::Series;
using report::Table;

/// A value that could not be measured.
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// One simulation. Where the file has lists, there is one of these for each combination.
struct RunSpec {
  std::string id, label;
  std::string scene;  ///< a built-in one, or a file
  std::string method;
  std::vector<OptionValue> options;
  std::vector<OptionValue> beside;  ///< options with which each step is repeated, from the same
                                    ///< state, for comparison
  std::string solver = "auto", contact_solver = "exact";
  std::vector<io::Setting> settings;
  double step = 0, duration = 0;  ///< 0: the scene's
  std::string start;              ///< settle or as_is; empty: the scene's
  int halvings = -1;              ///< of a step that does not converge; −1: the default
  std::string best_by;  ///< of all runs with this id, only the one with the smallest value is kept
  std::string permit;   ///< a metric: runs in which it exceeds `permitted` do not count there
  double permitted = 0;
  bool is_truth = false;  ///< the others' final states are compared with this one's
  bool is_timed = false;  ///< its time is measured: nothing else runs meanwhile
};

struct RunData {
  RunSpec spec;
  io::Scene scene;
  RunReport report;
  std::map<std::string, std::vector<double>> series;  ///< "time" among them
  VecX lambda;                                        ///< of the last step
  std::map<std::string, double> metrics;
  int repeats = 0;  ///< how often it was run again to measure its time
};

/// Where a number in a claim comes from.
struct Quantity {
  std::string name;
  std::string run;     ///< an id, or a prefix ending in * for `over`
  std::string metric;  ///< of the run as a whole …
  std::string series;  ///< … or a series of it, condensed by `take`
  std::string minus;   ///< an expression in t, taken off the series first
  /// max, min, max_abs, last, mean, spread, settles, leaves; for several runs: slope, min, max,
  /// largest_while, least_where
  std::string take;
  std::string against;          ///< the other metric, on the x axis: step for slope, say
  std::string from, until;      ///< expressions: the part of the series that counts
  double skip = 0;              ///< this many records at the start of the series do not count
  std::optional<double> level;  ///< for settles, leaves and least_where
  struct Horizon {
    std::string scene;
    double perturbation = 1e-10, level = 0.01;
  };
  std::optional<Horizon> horizon;  ///< how long a chaotic motion can be predicted at all
};

struct ClaimSpec {
  std::string text, number, measure, unit, remark;
  std::optional<double> at_least, at_most;
  std::vector<std::string> words;  ///< what the values 0 and 1 mean, where these are the only ones
  Claim::Expected expected = Claim::Expected::holds;
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
  Vec3 up = Vec3::UnitY();
};

struct TableSpec {
  std::string caption;
  std::vector<std::string> runs, columns;
  std::map<std::string, std::string> labels;  ///< of columns, where they are not known
};

struct Experiment {
  std::string id, source, title, description;
  double seconds = 0;  ///< it takes about this long on two cores
  std::vector<std::pair<std::string, std::string>> choices;
  std::vector<RunSpec> runs;
  std::vector<std::pair<std::string, std::string>> metrics;  ///< name, expression over others
  std::vector<PlotSpec> plots;
  std::vector<PictureSpec> pictures;
  std::vector<TableSpec> tables;
  std::vector<RegionSpec> regions;
  std::vector<Quantity> quantities;
  std::vector<ClaimSpec> claims;
};

/// What is marked as "full" in the file is left out unless `extent` is full.
Experiment read_experiment(const std::string& text, const std::string& origin,
                           Extent extent = Extent::quick);

/// What is wrong with cloth in the states it has looked at.
class ClothStates {
 public:
  explicit ClothStates(const io::Scene& scene) : scene_(scene) {}
  void look(const State& state);

  double crossings = 0;  ///< in all states together: edges in faces, cloths in shapes
  double strain = 0;     ///< largest, of edges that keep their length, or beyond their limit
  int states = 0;

 private:
  const io::Scene& scene_;
  RowPattern pattern_;
  Rows rows_;
  std::vector<char> is_string_;  // per row: it may be shorter
};

/// All runs, in the order of the file. Empty if it was stopped.
std::vector<RunData> perform(const Experiment& experiment, const ExperimentOptions& options);

/// Whether `pattern`, an id or a prefix ending in *, names this run.
bool matches(const std::string& pattern, const std::string& id);

/// The values of all quantities, by name; NaN where there is none.
std::map<std::string, double> measure(const Experiment& experiment,
                                      const std::vector<RunData>& runs);
std::vector<Claim> judge(const Experiment& experiment, const std::map<std::string, double>& values);
Plot draw(const PlotSpec& spec, const std::vector<RunData>& runs);
Table tabulate(const TableSpec& spec, const std::vector<RunData>& runs);
Picture depict(const PictureSpec& spec, const std::vector<RunData>& runs);

struct Region {
  Plot plot;
  double disagreement = 0;  ///< fraction of the cells where measurement and prediction differ
};
Region map_region(const RegionSpec& spec);

/// The value of an expression over named numbers.
double evaluate(const std::string& expression, const std::map<std::string, double>& values);

}  // namespace taut::experiment::detail
