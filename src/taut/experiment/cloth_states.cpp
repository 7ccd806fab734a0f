// What is wrong with cloth in the recorded states of a run: intersections, found by code that finds
// no contacts, and edges that are not as long as they should be.
#include <algorithm>
#include <cmath>

#include "taut/collision/cloth_faults.hpp"
#include "taut/experiment/experiment_internal.hpp"

namespace taut::experiment::detail {
namespace {

constexpr double deep = 1e-9;  // m: rounding errors

}  // namespace

void ClothStates::look(const State& state) {
  const System& system = scene_.system;
  const Pose pose(system, state.q);
  const collision::ClothFaults faults =
      collision::find_cloth_faults(system, scene_.surfaces, pose, deep);
  crossings += static_cast<double>(faults.tangled.size() + faults.inside.size());
  ++states;
  if (is_string_.empty()) {
    pattern_ = RowPattern(system);
    rows_.resize(pattern_);
    for (const auto& batch : system.constraints())
      for (int c = 0; c < batch->size(); ++c)
        for (int r = 0; r < batch->rows_per_constraint(); ++r)
          is_string_.push_back(!batch->law(c, r).holds_always());
  }
  rows_.linearize(system, pattern_, pose, state.time);
  for (int r = 0; r < pattern_.rows(); ++r) {
    const auto row = static_cast<std::size_t>(r);
    if (const double length = pattern_.natural_length[row]; length > 0)
      strain = std::max(strain, (is_string_[row] ? rows_.C[r] : std::abs(rows_.C[r])) / length);
  }
}

}  // namespace taut::experiment::detail
