// How much energy constraints that depend on time can have put in. Of a row C(q, t) that is driven
// while q stays, the work is that of its force over the way on which it leads: λ (C(q, t₁) − C(q,
// t₀)). Of λ the ends of a step are known, and the larger is taken; of rows the sum without signs.
// So it is a bound as long as forces do not rise and fall again within a step.
#pragma once

#include <vector>

#include "taut/model/rows.hpp"
#include "taut/model/system.hpp"

namespace taut {

class DriveWork {
 public:
  explicit DriveWork(const System& system);

  /// J, at most, between two times. λ: at the one and at the other, of all rows.
  double most(const Pose& pose, double from, double to, const VecX& lambda_from,
              const VecX& lambda_to);

 private:
  const VecX& values(const Pose& pose, double time);

  const System& system_;
  std::vector<std::size_t> batches_;  // that are driven
  RowPattern pattern_;
  Rows rows_;
  VecX before_;
};

}  // namespace taut
