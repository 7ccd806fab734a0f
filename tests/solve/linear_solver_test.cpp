// Every linear solver on every kind of matrix that constraints make, against dense linear algebra.
#include "taut/solve/linear_solver.hpp"

#include <gtest/gtest.h>

#include "support/matrices.hpp"
#include "support/random_scene.hpp"
#include "taut/base/error.hpp"

namespace taut {
namespace {

using testing::Random;
using testing::sparse;

class EverySolver : public ::testing::TestWithParam<std::string> {
 protected:
  VecX solve(const MatX& dense, const VecX& b) {
    A_ = sparse(dense);
    solver_ = make_linear_solver(GetParam(), A_);
    solver_->factor(A_);
    VecX x;
    summary_ = solver_->solve(b, x);
    EXPECT_TRUE(summary_.ok);
    return x;
  }
  SparseSymmetric A_;
  std::unique_ptr<LinearSolver> solver_;
  SolveSummary summary_;
};

std::vector<std::string> solver_names() {
  std::vector<std::string> names{"auto"};
  for (const SolverInfo& solver : linear_solvers()) names.emplace_back(solver.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Solve, EverySolver, ::testing::ValuesIn(solver_names()),
                         [](const auto& name) { return name.param; });

MatX random_gram(Random& random, int n, int rank) {
  MatX B(n, rank);
  for (int i = 0; i < B.size(); ++i) B(i) = random.uniform(-1, 1);
  return B * B.transpose();
}

// J W Jᵀ of a chain: tridiagonal.
MatX chain(int n) {
  MatX A = MatX::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    A(i, i) = 2;
    if (i > 0) A(i, i - 1) = A(i - 1, i) = -0.9;
  }
  return A;
}

// Rows on a grid, numbered badly: needs an ordering to stay sparse.
MatX shuffled_grid(Random& random, int side) {
  const int n = side * side;
  std::vector<int> place(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) place[i] = i;
  for (int i = n - 1; i > 0; --i) std::swap(place[i], place[random.integer(0, i)]);
  MatX A = MatX::Zero(n, n);
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      const int a = place[i * side + j];
      A(a, a) = 4.5;
      if (i > 0) A(a, place[(i - 1) * side + j]) = A(place[(i - 1) * side + j], a) = -1;
      if (j > 0) A(a, place[i * side + j - 1]) = A(place[i * side + j - 1], a) = -1;
    }
  return A;
}

TEST_P(EverySolver, RegularMatrices) {
  Random random(1);
  const std::vector<MatX> matrices{MatX::Constant(1, 1, 3.0), random_gram(random, 2, 4),
                                   random_gram(random, 30, 60), chain(200),
                                   shuffled_grid(random, 12)};
  for (const MatX& A : matrices) {
    const VecX b = random.vector_of(static_cast<int>(A.rows()));
    const VecX x = solve(A, b);
    EXPECT_LT((A * x - b).norm(), 1e-10 * b.norm()) << A.rows() << " rows";
    EXPECT_FALSE(summary_.regularized);
  }
}

TEST_P(EverySolver, NoRows) {
  const VecX x = solve(MatX(0, 0), VecX(0));
  EXPECT_EQ(x.size(), 0);
}

TEST_P(EverySolver, SymbolicPartIsReusedForNewValues) {
  Random random(2);
  const MatX grid = shuffled_grid(random, 8);
  solve(grid, VecX::Ones(64));
  const MatX other = 2 * grid + MatX::Identity(64, 64);
  A_ = sparse(other);
  solver_->factor(A_);
  VecX x;
  const VecX b = random.vector_of(64);
  solver_->solve(b, x);
  EXPECT_LT((other * x - b).norm(), 1e-10);
}

// Redundant rows that agree: b in the range of A. Whatever the solver, A x = b.
TEST_P(EverySolver, SingularAndConsistent) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const int n = random.integer(2, 40), rank = random.integer(1, n);
    const MatX A = random_gram(random, n, rank);
    const VecX b = A * random.vector_of(n);
    EXPECT_LT((A * solve(A, b) - b).norm(), 1e-9 * b.norm()) << "seed " << seed;
  }
}

TEST_P(EverySolver, TheSameRowTwice) {
  const MatX A = (MatX(3, 3) << 2, 2, 0.5, 2, 2, 0.5, 0.5, 0.5, 1).finished();
  const VecX b = (VecX(3) << 1, 1, 2).finished();
  const VecX x = solve(A, b);
  EXPECT_LT((A * x - b).norm(), 1e-12);
  EXPECT_NEAR(x[0], x[1], 1e-7);  // smallest norm: they share the load
}

TEST_P(EverySolver, ARowThatTouchesNothing) {
  for (const int empty : {0, 1, 2}) {
    MatX A = 2 * MatX::Identity(3, 3);
    A(empty, empty) = 0;
    VecX b = VecX::Ones(3), expected = VecX::Constant(3, 0.5);
    b[empty] = expected[empty] = 0;
    EXPECT_LT((solve(A, b) - expected).norm(), 1e-12);
  }
}

class EveryDirectSolver : public EverySolver {};
INSTANTIATE_TEST_SUITE_P(Solve, EveryDirectSolver, ::testing::Values("ldlt_dense", "ldlt_sparse"),
                         [](const auto& name) { return name.param; });

// Redundant rows, agreeing or not: the least-squares solution of smallest norm, A⁺b.
TEST_P(EveryDirectSolver, SingularGivesThePseudoInverse) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    Random random(seed);
    const int n = random.integer(2, 30), rank = random.integer(1, n - 1);
    const MatX A = random_gram(random, n, rank);
    const VecX b = random.vector_of(n);
    const VecX best = testing::least_squares(A, b);
    const VecX x = solve(A, b);
    EXPECT_TRUE(summary_.regularized);
    EXPECT_LT((A * (x - best)).norm(), 1e-8 * b.norm()) << "seed " << seed;
    EXPECT_LT((x - best).norm(), 1e-5 * (1 + best.norm())) << "seed " << seed;
  }
}

// A row that touches nothing and asks for something: nothing can be done about it, and nothing else
// may suffer.
TEST_P(EveryDirectSolver, AConflictThatTouchesNothing) {
  for (const int empty : {0, 1, 2}) {
    MatX A = 2 * MatX::Identity(3, 3);
    A(empty, empty) = 0;
    VecX expected = VecX::Constant(3, 0.5);
    expected[empty] = 0;
    EXPECT_LT((solve(A, VecX::Ones(3)) - expected).norm(), 1e-9);
    EXPECT_TRUE(summary_.regularized);
  }
}

TEST(LinearSolver, UnknownNameSuggestsTheNearest) {
  try {
    make_linear_solver("ldlt_spars", sparse(chain(3)));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("ldlt_sparse"), std::string::npos);
  }
}

TEST(LinearSolver, AutomaticChoiceFollowsSizeAndStructure) {
  Random random(3);
  EXPECT_EQ(make_linear_solver("auto", sparse(chain(2)))->name(), "ldlt_dense");
  EXPECT_EQ(make_linear_solver("auto", sparse(random_gram(random, 20, 40)))->name(), "ldlt_dense");
  EXPECT_EQ(make_linear_solver("auto", sparse(chain(500)))->name(), "ldlt_sparse");
}

}  // namespace
}  // namespace taut
