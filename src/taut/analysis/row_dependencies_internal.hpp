// Linear dependencies between the columns of a matrix.
#pragma once

#include <Eigen/SparseCore>
#include <utility>
#include <vector>

#include "taut/base/types.hpp"

namespace taut {

using SparseMatrix = Eigen::SparseMatrix<double>;

/// A combination of columns that is zero: (column, coefficient), ascending. After
/// reduce_dependencies() the last coefficient is 1.
using ColumnCombination = std::vector<std::pair<int, double>>;

/// A basis of { y : A y = 0 }, where all columns of A have length 1 (or 0). `tolerance` says what
/// counts as zero in the rank-revealing QR.
std::vector<ColumnCombination> null_space(const SparseMatrix& A, double tolerance);

/// The reduced echelon form of the basis, from the last column backwards: every combination ends at
/// a column of its own, which no other combination has. These last columns are exactly those that
/// depend on the columns before them. Sorted by that column.
std::vector<ColumnCombination> reduce_dependencies(std::vector<ColumnCombination> basis);

}  // namespace taut
