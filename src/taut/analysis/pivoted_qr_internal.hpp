#pragma once

#include <vector>

#include "taut/base/types.hpp"

namespace taut {

/// A P = Q R by Householder's reflections, the longest remaining column first (Businger and Golub
/// 1965), until no column is longer than `tolerance` times the first. Without Q.
class PivotedQr {
 public:
  PivotedQr(MatX A, double tolerance);

  int rank() const { return rank_; }
  /// With R = [R₁₁ R₁₂; 0 0], the null space is spanned by the columns of P [−R₁₁⁻¹ R₁₂; 1]: the
  /// one of column k ≥ rank() of A P.
  VecX null_vector(int k) const;

 private:
  MatX R_;                   // its upper half
  std::vector<int> column_;  // of A that is the k-th of A P
  int rank_ = 0;
};

}  // namespace taut
