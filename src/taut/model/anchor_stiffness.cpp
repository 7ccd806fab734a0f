#include "taut/model/anchor_stiffness.hpp"

#include <Eigen/Eigenvalues>

namespace taut {

void keep_positive_part(SmallMatrix& symmetric) {
  const Eigen::SelfAdjointEigenSolver<SmallMatrix> eigen(symmetric);
  symmetric = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
              eigen.eigenvectors().transpose();
}

}  // namespace taut
