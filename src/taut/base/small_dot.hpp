// Sums of a few products, as many at a time as the processor takes.
#pragma once

#include <Eigen/Core>

namespace taut {

/// a·b of N numbers.
template <int N>
inline double small_dot(const double* a, const double* b) {
  using Numbers = Eigen::Map<const Eigen::Matrix<double, N, 1>>;
  return Numbers(a).dot(Numbers(b));
}

}  // namespace taut
