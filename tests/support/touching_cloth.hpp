// Runs of scenes with cloth that touches, judged by code that finds no contacts: edges against
// triangles by exact signs, triangles against shapes by a search (collision/crossings.hpp).
#pragma once

#include <string>
#include <vector>

#include "taut/scene/scene.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut::testing {

struct TouchingRun {
  RunReport report;
  int states = 0;          ///< that were looked at
  int crossings = 0;       ///< in all of them together
  int intrusions = 0;      ///< of triangles in shapes
  double strain = 0;       ///< largest, of edges that keep their length
  double energy_gain = 0;  ///< largest rise of the energy between two states, J
  double judging = 0;      ///< s of CPU that looking took
  std::string first;       ///< what was wrong first, in words
};

/// Looks at every `every`-th step; `duration` 0: the scene's own.
TouchingRun run_touching(const io::Scene& scene, const State& start,
                         const std::string& method = "icd", double duration = 0, long every = 1);

}  // namespace taut::testing
