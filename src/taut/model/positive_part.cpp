// Apart from the rest, because Eigen's decomposition takes long to compile.
#include <Eigen/Eigenvalues>
#include <algorithm>

#include "taut/model/anchor_stiffness.hpp"

namespace taut {

void keep_positive_part(double* symmetric, int size) {
  if (std::all_of(symmetric, symmetric + size * size, [](double x) { return x == 0; })) return;
  constexpr int most = 3 * most_anchors;
  using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most, most>;
  Eigen::Map<MatX> matrix(symmetric, size, size);
  const Eigen::SelfAdjointEigenSolver<SmallMatrix> eigen{SmallMatrix(matrix)};
  matrix = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
           eigen.eigenvectors().transpose();
}

}  // namespace taut
