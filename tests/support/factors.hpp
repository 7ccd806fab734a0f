// Factors of dense matrices, for references. Eigen's would take half a minute to compile, and the
// library's own must not be what its results are compared with.
#pragma once

#include <vector>

#include "taut/base/types.hpp"

namespace taut::testing {

/// A B, with plain loops.
MatX product(const MatX& A, const MatX& B);

/// A = L Lᵀ of a symmetric matrix.
class Cholesky {
 public:
  Cholesky() = default;
  explicit Cholesky(MatX A);

  bool is_positive_definite() const { return is_positive_definite_; }
  VecX pivots() const { return L_.diagonal(); }  ///< the diagonal of L
  MatX solve(MatX B) const;                      ///< A⁻¹ B

 private:
  MatX L_;  // its lower half
  bool is_positive_definite_ = false;
};

/// A P = Q R by Householder's reflections, the longest remaining column first.
struct OrthogonalFactors {
  explicit OrthogonalFactors(MatX A);

  MatX Q;                   ///< square
  MatX R;                   ///< its upper half
  std::vector<int> column;  ///< of A that is the k-th of A P
};

}  // namespace taut::testing
