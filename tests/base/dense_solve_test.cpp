#include "taut/base/dense_solve.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "taut/base/types.hpp"

namespace taut {
namespace {

MatX some_matrix(int n) {
  MatX A(n, n);
  for (int i = 0; i < n * n; ++i) A.data()[i] = std::sin(1 + 2.3 * i * i);
  return A;
}
VecX some_vector(int n) {
  VecX x(n);
  for (int i = 0; i < n; ++i) x[i] = std::cos(1 + 1.9 * i);
  return x;
}

TEST(DenseSolve, PositiveDefinite) {
  for (int n = 1; n <= 8; ++n) {
    const MatX root = some_matrix(n);
    const MatX A = root * root.transpose() + MatX::Identity(n, n);
    const VecX x = some_vector(n);
    MatX half = A.triangularView<Eigen::Lower>();  // the other half is not read
    VecX solved = A * x;
    ASSERT_TRUE(solve_positive_definite(half.data(), n, solved.data()));
    EXPECT_LE((solved - x).norm(), 1e-13) << n;
  }
}

TEST(DenseSolve, NotPositiveDefinite) {
  Eigen::Matrix2d A;
  A << 1, 2, 2, 1;
  Eigen::Vector2d x(1, 1);
  EXPECT_FALSE(solve_positive_definite(A.data(), 2, x.data()));
}

TEST(DenseSolve, Square) {
  for (int n = 1; n <= 8; ++n) {
    MatX A = some_matrix(n);
    A(0, 0) = 0;  // needs another pivot
    if (n == 1) A(0, 0) = 2;
    const VecX x = some_vector(n);
    VecX solved = A * x;
    ASSERT_TRUE(solve_square(A.data(), n, solved.data()));
    EXPECT_LE((solved - x).norm(), 1e-12) << n;
  }
}

TEST(DenseSolve, SingularSquare) {
  Mat3 A = Mat3::Zero();
  A(0, 1) = A(1, 0) = 1;
  Vec3 x(1, 1, 1);
  EXPECT_FALSE(solve_square(A.data(), 3, x.data()));
}

}  // namespace
}  // namespace taut
