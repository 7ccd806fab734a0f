// A run of cloth over several processes: see docs/distributed.md.
#pragma once

#include <functional>
#include <vector>

#include "taut/distributed/processes.hpp"
#include "taut/distributed/yarn_ends.hpp"
#include "taut/methods/fast_projection.hpp"
#include "taut/scene/scene_share.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut::distributed {

class Domain;

/// What one process had and did.
struct ProcessCost {
  double bodies = 0, rows = 0;  ///< that it owns
  double all_bodies = 0;        ///< with those around them
  double cpu_seconds = 0;       ///< in steps
  double wall_seconds = 0;      ///< in steps
  double most_memory = 0;       ///< bytes, the largest resident set
  double neighbours = 0;
  double body_bytes = 0, row_bytes = 0;        ///< received when places, or multipliers, are told
  double body_messages = 0, row_messages = 0;  ///< how often they were, in steps
  double reductions = 0;                       ///< sums over all processes, in steps
  double row_iterations = 0;                   ///< of conjugate gradients, for multipliers
};

struct ClothRun {
  RunReport report;
  std::vector<ProcessCost> costs;  ///< by rank
};

struct ClothRunOptions {
  double step = 0.01, duration = 10;
  long record_every = 1;
  Start start = Start::settle;
  double error_bound = 0;
  YarnEnds yarn_ends = YarnEnds::cut;
  /// Called by everybody for the start and the recording times.
  std::function<void(const Domain& domain, const State& state)> record;
  /// Asked by everybody after each step; false from one of them ends the run.
  std::function<bool(const RunProgress&)> keep_going;
};

/// Everybody calls it with a part of its own, and everybody gets the same report, without a final
/// state. Throws AgreedError for a start that would have to be moved, and for drives that jump.
ClothRun run_cloth(const Processes& processes, const io::SceneShare& share,
                   const FastProjectionOptions& method, const ClothRunOptions& options);

}  // namespace taut::distributed
