#include "taut/simulate/course.hpp"

#include <algorithm>
#include <cmath>

namespace taut {

void Course::follow(const State& state, bool has_impacts, Evidence& evidence) {
  const bool is_smooth = last_v_.size() == state.v.size() && !has_impacts;
  double farthest = 0, bend = 0;
  for (const BodySlot& slot : system_.slots()) {
    farthest = std::max(farthest,
                        (state.q.segment<3>(slot.q) - start_q_.segment<3>(slot.q)).squaredNorm());
    if (is_smooth)
      bend =
          std::max(bend, (state.v.segment<3>(slot.v) - last_v_.segment<3>(slot.v)).squaredNorm());
  }
  evidence.travel = std::max(evidence.travel, std::sqrt(farthest));
  evidence.turn.see(std::sqrt(bend) * (state.time - last_time_), -1, state.time);
  last_v_ = state.v;
  last_time_ = state.time;
}

}  // namespace taut
