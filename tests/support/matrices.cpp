#include "support/matrices.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace taut::testing {

SparseSymmetric sparse(const MatX& dense) {
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

double smallest_eigenvalue(const MatX& symmetric) {
  return Eigen::SelfAdjointEigenSolver<MatX>(symmetric).eigenvalues().minCoeff();
}

// With M = S⁻ᵀS⁻¹, x = S y: Sᵀ K S y = ω² y.
Modes generalized_modes(const MatX& K, const MatX& M) {
  const Eigen::SelfAdjointEigenSolver<MatX> mass(M);
  const MatX S = mass.eigenvectors() * mass.eigenvalues().cwiseSqrt().cwiseInverse().asDiagonal();
  const Eigen::SelfAdjointEigenSolver<MatX> modes(S.transpose() * K * S);
  return {modes.eigenvalues(), S * modes.eigenvectors()};
}

int rank(const MatX& matrix, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<MatX> factors(matrix.rows(), matrix.cols());
  factors.setThreshold(threshold);
  return static_cast<int>(factors.compute(matrix).rank());
}

VecX least_squares(const MatX& A, const VecX& b) {
  return Eigen::CompleteOrthogonalDecomposition<MatX>(A).solve(b);
}

}  // namespace taut::testing
