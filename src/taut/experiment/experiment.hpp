// Experiments: figures of papers as data. A file in experiments/ names scenes, methods and step
// sizes, what to plot, and the claims to check against numbers. docs/experiments.md describes the
// format.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "taut/report/document.hpp"

namespace taut::experiment {

struct ExperimentInfo {
  std::string id, source, title;
  double seconds = 0;  ///< it takes about this long on two cores
};

/// Whether to make all runs, or only those that take little time.
enum class Extent { quick, full };

/// The built-in experiments, in the order in which the report shows them.
std::vector<ExperimentInfo> list_experiments();

/// A built-in experiment by its id, or a file. Throws Error, with the nearest id, if there is none.
ExperimentInfo describe_experiment(const std::string& id_or_path);

struct ExperimentOptions {
  Extent extent = Extent::quick;
  int threads = 0;  ///< 0: one per core
  /// Called now and then, from the calling thread; false stops the work.
  std::function<bool(int done, int total)> progress;
};

/// Runs an experiment, a built-in one by its id or a file, and checks its claims. Throws Error for
/// an unknown id and for a file with mistakes, never for what the experiment finds. The section
/// says so if the experiment was stopped.
report::Section reproduce(const std::string& id_or_path, const ExperimentOptions& options = {});

}  // namespace taut::experiment
