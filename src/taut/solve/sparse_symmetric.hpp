#pragma once

#include <vector>

#include "taut/base/types.hpp"

namespace taut {

/// A symmetric sparse matrix, its lower half row by row: row i has the columns
/// column[row_begin[i] … row_begin[i+1]), ascending, the diagonal last (always there).
struct SparseSymmetric {
  std::vector<int> row_begin{0};
  std::vector<int> column;
  VecX value;

  int size() const { return static_cast<int>(row_begin.size()) - 1; }
  double diagonal(int i) const { return value[row_begin[static_cast<std::size_t>(i) + 1] - 1]; }

  /// out = A x
  void multiply(const VecX& x, VecX& out) const {
    out.setZero(size());
    for (int i = 0; i < size(); ++i) {
      const int last = row_begin[static_cast<std::size_t>(i) + 1] - 1;
      double sum = value[last] * x[i];
      for (int p = row_begin[static_cast<std::size_t>(i)]; p < last; ++p) {
        const int j = column[static_cast<std::size_t>(p)];
        sum += value[p] * x[j];
        out[j] += value[p] * x[i];
      }
      out[i] += sum;
    }
  }
};

}  // namespace taut
