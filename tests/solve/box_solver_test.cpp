#include "taut/solve/box_solver.hpp"

#include <gtest/gtest.h>

#include "support/random_scene.hpp"

namespace taut {
namespace {

/// How far λ and w = b + A λ are from complementarity, as a w.
double contradiction(const MatX& A, const VecX& b, const std::vector<Bounds>& bounds,
                     const VecX& lambda) {
  const VecX w = b + A * lambda;
  double worst = 0;
  for (int i = 0; i < b.size(); ++i) {
    const Bounds& of_row = bounds[static_cast<std::size_t>(i)];
    EXPECT_GE(lambda[i], of_row.lower);
    EXPECT_LE(lambda[i], of_row.upper);
    if (lambda[i] > of_row.lower) worst = std::max(worst, w[i]);   // else it may open
    if (lambda[i] < of_row.upper) worst = std::max(worst, -w[i]);  // else it may give way
  }
  return worst;
}

// Of every size and rank, with stops, motors and equations; scales that differ by ten orders.
TEST(BoxSolver, RandomProblems) {
  testing::Random random(7);
  BoxSolver solver;
  for (int problem = 0; problem < 300; ++problem) {
    const int n = 1 + problem % 12, rank = 1 + (problem / 12) % n;
    MatX half(rank, n);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < rank; ++i) half(i, j) = random.uniform(-1, 1);
    const double size = std::pow(10.0, random.uniform(-5, 5));
    const MatX A = size * half.transpose() * half;
    VecX b(n), lambda = VecX::Zero(n);
    for (int i = 0; i < rank; ++i) lambda[i] = random.uniform(-1, 1);
    b = size * half.transpose() * lambda.head(rank);  // possible whatever the rank
    std::vector<Bounds> bounds;
    for (int i = 0; i < n; ++i)
      bounds.push_back(i % 3 == 0   ? Bounds{}
                       : i % 3 == 1 ? Bounds{0, Bounds{}.upper}
                                    : Bounds{-0.3, 0.3});
    lambda.setZero();
    const VecX scale = A.diagonal();
    const BoxReport report = solver.solve(A, b, scale, bounds, lambda);
    EXPECT_TRUE(report.ok) << "problem " << problem << ", residual " << report.residual;
    EXPECT_LT(contradiction(A, b, bounds, lambda), 1e-9 * size) << "problem " << problem;
  }
}

TEST(BoxSolver, TwoStringsShareALoad) {
  const MatX A = MatX::Ones(2, 2);
  VecX lambda = VecX::Zero(2);
  const std::vector<Bounds> bounds(2, Bounds{0, Bounds{}.upper});
  EXPECT_TRUE(BoxSolver().solve(A, VecX::Constant(2, -6), VecX::Ones(2), bounds, lambda).ok);
  EXPECT_NEAR(lambda.sum(), 6, 1e-9);
  EXPECT_NEAR(lambda[0], lambda[1], 1e-6);
}

// Two stops that close on what cannot move between them.
TEST(BoxSolver, WhatCannotBeIsNotOk) {
  MatX A(2, 2);
  A << 1, -1, -1, 1;
  VecX lambda = VecX::Zero(2);
  const std::vector<Bounds> bounds(2, Bounds{0, Bounds{}.upper});
  EXPECT_FALSE(BoxSolver().solve(A, VecX::Constant(2, -1), VecX::Ones(2), bounds, lambda).ok);
}

}  // namespace
}  // namespace taut
