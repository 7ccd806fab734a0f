#include "taut/simulate/drive_work.hpp"

#include <algorithm>
#include <cmath>

namespace taut {

DriveWork::DriveWork(const System& system) : system_(system) {
  for (std::size_t b = 0; b < system.constraints().size(); ++b)
    if (system.constraints()[b]->depends_on_time()) batches_.push_back(b);
  if (batches_.empty()) return;
  pattern_ = RowPattern(system);
  rows_.resize(pattern_);
}

const VecX& DriveWork::values(const Pose& pose, double time) {
  for (const std::size_t b : batches_) {
    const ConstraintBatch& batch = *system_.constraints()[b];
    batch.linearize(pose, time, RowForm::given, pattern_, pattern_.batch_start[b],
                    {0, batch.size()}, rows_);
  }
  return rows_.C;
}

double DriveWork::most(const Pose& pose, double from, double to, const VecX& lambda_from,
                       const VecX& lambda_to) {
  if (batches_.empty()) return 0;
  before_ = values(pose, from);
  const VecX& after = values(pose, to);
  const auto size = [](const VecX& lambda, int row) {
    return row < lambda.size() ? std::abs(lambda[row]) : 0;
  };
  double sum = 0;
  for (const std::size_t b : batches_) {
    const ConstraintBatch& batch = *system_.constraints()[b];
    const int begin = pattern_.batch_start[b].row,
              end = begin + batch.size() * batch.rows_per_constraint();
    for (int row = begin; row < end; ++row)
      sum += std::max(size(lambda_from, row), size(lambda_to, row)) *
             std::abs(after[row] - before_[row]);
  }
  return sum;
}

}  // namespace taut
