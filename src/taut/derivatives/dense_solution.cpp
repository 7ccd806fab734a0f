#include "taut/derivatives/dense_solution.hpp"

#include <Eigen/QR>
#include <cmath>

namespace taut::detail {

MatX pseudo_inverse(MatX matrix) {
  // Ruiz (2001): rows and columns are scaled until the largest number of each is about one.
  VecX rows = VecX::Ones(matrix.rows()), columns = VecX::Ones(matrix.cols());
  constexpr int sweeps = 5;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
      const double largest = matrix.row(i).lpNorm<Eigen::Infinity>();
      if (!(largest > 0)) continue;
      const double scale = 1 / std::sqrt(largest);
      matrix.row(i) *= scale;
      rows[i] *= scale;
    }
    for (Eigen::Index i = 0; i < matrix.cols(); ++i) {
      const double largest = matrix.col(i).lpNorm<Eigen::Infinity>();
      if (!(largest > 0)) continue;
      const double scale = 1 / std::sqrt(largest);
      matrix.col(i) *= scale;
      columns[i] *= scale;
    }
  }
  Eigen::CompleteOrthogonalDecomposition<MatX> decomposition;
  decomposition.setThreshold(1e-12);
  decomposition.compute(matrix);
  return columns.asDiagonal() * decomposition.pseudoInverse() * rows.asDiagonal();
}

}  // namespace taut::detail
