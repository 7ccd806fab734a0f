// Work and precision: each set-up of each engine with steps of 1/60 s, half of it, and so on, as
// far as that can be afforded. So an engine is seen at its best for whatever error is asked for.
#pragma once

#include <optional>

#include "run.hpp"

namespace peers {

struct Sample {
  std::size_t setup = 0;  ///< place in the list of set-ups
  double step = 0;
  std::vector<WindowResult> windows;
  std::vector<double> worst;  ///< m, of each window
};

struct SweepOptions {
  // Both are multiplied by the scene's effort.
  double budget = 0.5;  ///< s of CPU for a run; steps are halved no more if that would take longer
  double most = 3;      ///< s of CPU after which a run is given up
  int repetitions = 3;  ///< of the time of what is cheapest for some error
  int most_halvings = 10;
};

struct Sweep {
  Scene scene;
  std::vector<Sample> samples;
  std::vector<std::string> failures;  ///< of each set-up: why it gave up; empty: it did not

  /// The cheapest of an engine with an error of at most `error` in a window.
  const Sample* cheapest(std::size_t window, const std::vector<Setup>& setups,
                         const std::string& engine, double error) const;
  /// Of a set-up with this step; none if it was not run.
  const Sample* at_step(std::size_t setup, double step) const;
};

/// 10 mm … 1 nm.
const std::vector<double>& error_levels();

Sweep sweep(const Scene& scene, const std::vector<Setup>& setups, const SweepOptions& options);

}  // namespace peers
