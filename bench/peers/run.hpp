// One run of a scene, timed and measured.
#pragma once

#include "measure.hpp"

namespace peers {

struct WindowResult {
  double time = 0;  ///< µs of CPU per simulated ms
  long steps = 0;   ///< done; fewer than the window has if it took too long
  bool is_complete = false;
  double linear_solves = 0;  ///< per step; 0: not counted
  Errors errors;
  std::string note;
};

struct RunOptions {
  double budget = 20;        ///< s of CPU after which a run ends
  bool measures = true;      ///< errors, too; not only times
  double between_looks = 0;  ///< s; at least a step
};

double cpu_time();

/// One result for each window of the scene.
std::vector<WindowResult> run(const Setup& setup, const Scene& scene, const RunOptions& options);

}  // namespace peers
