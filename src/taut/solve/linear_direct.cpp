#include "taut/solve/linear_direct.hpp"

#include <algorithm>
#include <cmath>

namespace taut {
namespace {

constexpr double shift_of_diagonal = 1e-9;  // relative to the largest diagonal entry

}  // namespace

void DirectSolver::analyze(const SparseSymmetric& A) {
  factorization_->analyze(A);
  shifted_ = factorization_->clone();
  residual_.resize(A.size());
  disagreement_.resize(A.size());
  null_part_.resize(A.size());
  correction_.resize(A.size());
}

void DirectSolver::factor(const SparseSymmetric& A) {
  A_ = &A;
  shift_ = 0;
  if (factorization_->factor(A, 0, singular_pivot_) >= singular_pivot_) return;
  double largest = 0;
  for (int i = 0; i < A.size(); ++i) largest = std::max(largest, A.diagonal(i));
  shift_ = largest > 0 ? shift_of_diagonal * largest : 1;
  shifted_->factor(A, shift_, 0);
}

// The singular case. Two things are known of it:
//  - G, the inverse of A without the rows that follow from others. G b solves A x = b exactly where
//    it can be solved, however different in size the eigenvalues μ of A are. So x − G A x is free
//    of all but null vectors, for any x.
//  - with F = A + ε·1, (εF⁻¹)² keeps components with μ ≪ ε, the null space, and drops the others by
//    (ε/μ)². What is kept is nearly right where no μ is small.
// From them:
//  1. x = G b. What is left, c = b − A x, is what redundant rows disagree by. Without its part in
//     the null space A can produce it: that is the least-squares compromise.
//  2. What x has in the null space is taken off: then it is the solution of smallest norm. It is
//     found by F, and made by G a null vector exactly, so that A x does not change. Where μ as
//     small as ε make the first inexact, x is not quite the smallest, but it is still a solution.
void DirectSolver::keep_null_space(VecX& x) {
  for (int twice = 0; twice < 2; ++twice) {
    shifted_->solve_in_place(x);
    x *= shift_;
  }
}

void DirectSolver::add_basic_solution(const VecX& b, VecX& x) {
  correction_ = b;
  factorization_->solve_in_place(correction_);
  x += correction_;
}

SolveSummary DirectSolver::solve(const VecX& b, VecX& x) {
  SolveSummary summary;
  if (shift_ == 0) {
    x = b;
    factorization_->solve_in_place(x);
    summary.ok = x.allFinite();
    return summary;
  }
  summary.regularized = true;
  x.setZero(b.size());
  residual_ = b;
  for (int twice = 0; twice < 2; ++twice) {
    add_basic_solution(residual_, x);
    A_->multiply(x, residual_);
    residual_ = b - residual_;
    ++summary.iterations;
  }
  const double size = b.norm();
  disagreement_.setZero();
  for (int again = 0; again < 3 && residual_.norm() > 1e-12 * size; ++again) {
    for (int twice = 0; twice < 2; ++twice) {
      null_part_ = residual_;
      keep_null_space(null_part_);
      residual_ -= null_part_;
      disagreement_ += null_part_;
    }
    add_basic_solution(residual_, x);
    A_->multiply(x, residual_);
    residual_ = b - residual_ - disagreement_;
    ++summary.iterations;
  }
  for (int twice = 0; twice < 2; ++twice) {
    null_part_ = x;
    keep_null_space(null_part_);
    A_->multiply(null_part_, residual_);
    x -= null_part_;
    add_basic_solution(residual_, x);
  }
  A_->multiply(x, residual_);
  residual_ = b - residual_ - disagreement_;
  summary.residual = size > 0 ? residual_.norm() / size : 0;
  summary.ok = x.allFinite();
  return summary;
}

}  // namespace taut
