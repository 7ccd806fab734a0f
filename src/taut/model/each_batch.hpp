// All batches of constraints of a system, with the numbers at which their rows begin.
#pragma once

#include "taut/model/system.hpp"

namespace taut {

/// Calls visit(batch, start) for each.
template <class Visit>
void for_each_batch(const System& system, Visit&& visit) {
  ConstraintBatch::Start start;
  for (const auto& batch : system.constraints()) {
    visit(*batch, start);
    start.row += batch->size() * batch->rows_per_constraint();
    start.constraint += batch->size();
    start.anchor += batch->size() * batch->anchors_per_constraint();
  }
}

}  // namespace taut
