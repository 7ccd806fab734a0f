#include "taut/solve/linear_direct.hpp"

#include <algorithm>
#include <cmath>

namespace taut {
namespace {

constexpr double singular_pivot = 1e-11;  // relative to the diagonal: round-off with a margin
constexpr double relative_shift = 1e-9;   // relative to the largest diagonal entry

}  // namespace

void DirectSolver::analyze(const SparseSymmetric& A) {
  factorization_->analyze(A);
  range_part_.resize(A.size());
  residual_.resize(A.size());
  correction_.resize(A.size());
}

void DirectSolver::factor(const SparseSymmetric& A) {
  A_ = &A;
  shift_ = 0;
  if (factorization_->factor(A, 0) >= singular_pivot) return;
  double largest = 0;
  for (int i = 0; i < A.size(); ++i) largest = std::max(largest, A.diagonal(i));
  shift_ = largest > 0 ? relative_shift * largest : 1;
  factorization_->factor(A, shift_);
}

// The singular case. With F = A + ε·1 and the eigenvalues μ of A:
//  1. (εF⁻¹)² b keeps the components of b with μ ≪ ε, the part that no x can produce, and drops the
//     others by (ε/μ)². What is left of b is in the range of A, and redundant rows that disagree are
//     brought to their least-squares compromise.
//  2. x ← x + F⁻¹(b − A x), from zero, converges like ε/(μ + ε) per step (a proximal iteration) and
//     never leaves the range of A: the solution of smallest norm.
SolveSummary DirectSolver::solve(const VecX& b, VecX& x) {
  SolveSummary summary;
  if (shift_ == 0) {
    x = b;
    factorization_->solve_in_place(x);
    summary.ok = x.allFinite();
    return summary;
  }
  summary.regularized = true;
  correction_ = b;
  for (int twice = 0; twice < 2; ++twice) {
    factorization_->solve_in_place(correction_);
    correction_ *= shift_;
  }
  range_part_ = b - correction_;

  const double size = range_part_.norm();
  double before = size;
  residual_ = range_part_;
  x.setZero(b.size());
  constexpr int most = 30;
  while (summary.iterations < most && before > 1e-15 * size) {
    correction_ = residual_;
    factorization_->solve_in_place(correction_);
    x += correction_;
    ++summary.iterations;
    A_->multiply(x, residual_);
    residual_ = range_part_ - residual_;
    const double now = residual_.norm();
    if (!(now < before)) x -= correction_;
    const bool stalled = !(now < 0.5 * before);
    before = std::min(now, before);
    if (stalled) break;
  }
  summary.residual = size > 0 ? before / size : 0;
  summary.ok = x.allFinite();
  return summary;
}

}  // namespace taut
