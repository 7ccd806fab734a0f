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
//  1. (εF⁻¹)² keeps components with μ ≪ ε, the null space, and drops the others by (ε/μ)². Taken
//  off
//     b, it leaves what A can produce: redundant rows that disagree are brought to their
//     least-squares compromise.
//  2. x ← x + F⁻¹(b − A x), from zero, converges like ε/(μ + ε) per step: a proximal iteration.
//  3. Round-off in 1, magnified by 1/ε in 2, leaves a little of the null space in x. Taken off the
//     same way, twice, x is the solution of smallest norm.
void DirectSolver::remove_null_space(VecX& x) {
  correction_ = x;
  for (int twice = 0; twice < 2; ++twice) {
    factorization_->solve_in_place(correction_);
    correction_ *= shift_;
  }
  x -= correction_;
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
  range_part_ = b;
  remove_null_space(range_part_);

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
  remove_null_space(x);
  remove_null_space(x);
  summary.residual = size > 0 ? before / size : 0;
  summary.ok = x.allFinite();
  return summary;
}

}  // namespace taut
