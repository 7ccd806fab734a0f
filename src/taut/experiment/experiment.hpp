// Experiments: the figures of papers as data. A file in experiments/ names scenes, methods and
// steps, what to plot, and the claims to check against numbers. See docs/experiments.md for the
// format.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "taut/report/document.hpp"

namespace taut::report {

struct ExperimentInfo {
  std::string id, source, title;
};

/// The built-in experiments, in the order in which they are told.
std::vector<ExperimentInfo> list_experiments();

/// One of them, or a file. Throws Error, with the nearest id, when there is none.
ExperimentInfo describe_experiment(const std::string& id_or_path);

struct ExperimentOptions {
  int threads = 0;  ///< 0: one per core
  /// Called now and then, from the calling thread; false stops the work.
  std::function<bool(int done, int total)> progress;
};

/// Runs an experiment, a built-in one by its id or a file, and checks its claims. Throws Error for
/// an unknown id and for a file that is not right; never for what the experiment finds. The section
/// says so when it was stopped.
Section reproduce(const std::string& id_or_path, const ExperimentOptions& options = {});

}  // namespace taut::report
