#pragma once

#include "taut/base/types.hpp"
#include "taut/solve/sparse_symmetric.hpp"

namespace taut::testing {

/// The lower half of a dense symmetric matrix; entries that are exactly zero are left out.
inline SparseSymmetric sparse(const MatX& dense) {
  SparseSymmetric A;
  std::vector<double> values;
  for (int i = 0; i < dense.rows(); ++i) {
    for (int j = 0; j <= i; ++j)
      if (dense(i, j) != 0 || i == j) {
        A.column.push_back(j);
        values.push_back(dense(i, j));
      }
    A.row_begin.push_back(static_cast<int>(A.column.size()));
  }
  A.value = Eigen::Map<VecX>(values.data(), static_cast<Eigen::Index>(values.size()));
  return A;
}

}  // namespace taut::testing
