// Generalised minimal residuals, with directions in single precision.
#include "taut/solve/gmres.hpp"

#include <gtest/gtest.h>

#include "support/random_scene.hpp"

namespace taut {
namespace {

using testing::Random;

/// Indefinite and not symmetric.
MatX some_matrix(Random& random, int size) {
  MatX A(size, size);
  for (double& value : A.reshaped()) value = random.uniform(-1, 1);
  for (int i = 0; i < size; ++i) A(i, i) += i % 3 == 0 ? -8 : 8;
  return A;
}

VecX some_vector(Random& random, int size) {
  VecX v(size);
  for (double& value : v) value = random.uniform(-1, 1);
  return v;
}

/// With the diagonal for a preconditioner.
KrylovResult solve(const MatX& A, const VecX& scale, const VecX& b, VecX& x, int directions,
                   KrylovLimits limits) {
  GmresScratch scratch;
  scratch.resize(b.size(), directions);
  const auto direction = [&](const VecX& r, VecX& z, VecX& Az) {
    z = r.cwiseQuotient(A.diagonal());
    Az = A * z;
  };
  return gmres(direction, scale, b, x, scratch, limits);
}

TEST(Gmres, GetsBeyondSinglePrecision) {
  Random random(1);
  const int size = 60;
  const MatX A = some_matrix(random, size);
  const VecX b = some_vector(random, size), scale = VecX::Ones(size);
  VecX x;
  const KrylovResult result = solve(A, scale, b, x, 60, {1e-13, 500});
  EXPECT_LE((b - A * x).norm(), 2e-13 * b.norm());
  EXPECT_LE(result.residual, 1e-13);
}

TEST(Gmres, StartsAnewWhenItsScratchIsFull) {
  Random random(2);
  const int size = 60;
  const MatX A = some_matrix(random, size);
  const VecX b = some_vector(random, size), scale = VecX::Ones(size);
  VecX few, many;
  const int with_few = solve(A, scale, b, few, 6, {1e-8, 500}).iterations;
  const int with_many = solve(A, scale, b, many, 60, {1e-8, 500}).iterations;
  EXPECT_LE((b - A * few).norm(), 1e-8 * b.norm());
  EXPECT_GE(with_few, with_many);
  EXPECT_GT(with_few, 6);
}

// What is left is measured in the norm that was asked for.
TEST(Gmres, SaysWhatIsLeft) {
  Random random(3);
  const int size = 50;
  const MatX A = some_matrix(random, size);
  const VecX b = some_vector(random, size);
  VecX scale(size), x;
  for (double& value : scale) value = random.uniform(0.1, 10);
  for (const double tolerance : {0.1, 1e-3, 1e-6}) {
    const KrylovResult result = solve(A, scale, b, x, 40, {tolerance, 500});
    const double left = (b - A * x).cwiseProduct(scale).norm() / b.cwiseProduct(scale).norm();
    EXPECT_NEAR(result.residual, left, 1e-12);
    EXPECT_LE(left, tolerance);
  }
}

TEST(Gmres, NeedsAsManyIterationsAsThereAreEigenvalues) {
  Random random(4);
  const int size = 30;
  MatX A = MatX::Identity(size, size);
  for (int i = 0; i < size; ++i) A(i, i) = i % 3 == 0 ? -2 : i % 3;
  const VecX b = some_vector(random, size), scale = VecX::Ones(size);
  GmresScratch scratch;
  scratch.resize(size, 10);
  VecX x;
  const auto direction = [&](const VecX& r, VecX& z, VecX& Az) {
    z = r;
    Az = A * r;
  };
  EXPECT_EQ(gmres(direction, scale, b, x, scratch, {1e-4, 100}).iterations, 3);
  EXPECT_LE((b - A * x).norm(), 1e-4 * b.norm());
}

TEST(Gmres, LeavesNothingForNothing) {
  const VecX b = VecX::Zero(5), scale = VecX::Ones(5);
  VecX x = VecX::Ones(5);
  EXPECT_EQ(solve(MatX::Identity(5, 5), scale, b, x, 3, {1e-6, 10}).iterations, 0);
  EXPECT_EQ(x, VecX::Zero(5));
}

}  // namespace
}  // namespace taut
