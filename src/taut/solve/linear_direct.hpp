// Direct solvers: a factorisation, and around it what to do when the matrix is singular.
#pragma once

#include <memory>
#include <string_view>

#include "taut/solve/linear_solver.hpp"

namespace taut {

/// A = L D Lᵀ without pivoting: enough for semi-definite matrices, since a shift takes care of
/// vanishing pivots.
class Factorization {
 public:
  virtual ~Factorization() = default;
  virtual void analyze(const SparseSymmetric& A) = 0;
  /// Factors A + shift·1. Returns the smallest pivot relative to its diagonal entry of A: 1 for a
  /// diagonal matrix, about round-off where a row is a combination of rows before it. Rows with one
  /// below `least` are left out: the solution is 0 there, and does not mind their right-hand side.
  virtual double factor(const SparseSymmetric& A, double shift, double least) = 0;
  virtual void solve_in_place(VecX& x) const = 0;
  virtual std::unique_ptr<Factorization> clone() const = 0;
};

/// A pivot beside the diagonal entry it comes from; 0, singular, for an empty row and for NaN.
inline double relative_pivot(double pivot, double diagonal) {
  return diagonal > 0 && pivot > 0 ? pivot / diagonal : 0;
}

/// Factors A; where a pivot vanishes, its row is left out, and A + ε·1 is factored, too. solve()
/// makes of both the least-squares solution of smallest norm: see linear_direct.cpp.
class DirectSolver final : public LinearSolver {
 public:
  DirectSolver(std::string_view name, std::unique_ptr<Factorization> factorization)
      : name_(name), factorization_(std::move(factorization)) {}

  std::string_view name() const override { return name_; }
  void analyze(const SparseSymmetric& A) override;
  void set_singular_pivot(double relative) override { singular_pivot_ = relative; }
  void factor(const SparseSymmetric& A) override;
  SolveSummary solve(const VecX& b, VecX& x) override;

 private:
  void keep_null_space(VecX& x);
  void add_basic_solution(const VecX& b, VecX& x);

  std::string_view name_;
  std::unique_ptr<Factorization> factorization_, shifted_;
  const SparseSymmetric* A_ = nullptr;
  double shift_ = 0;  // 0: A is regular
  // A row of which less is left follows from others, or nearly so: what it says then is mostly
  // round-off, and a force along it would be mostly error.
  double singular_pivot_ = 1e-9;
  VecX residual_, disagreement_, null_part_, correction_;
};

std::unique_ptr<Factorization> make_sparse_factorization();
std::unique_ptr<LinearSolver> make_dense_ldlt();
std::unique_ptr<LinearSolver> make_sparse_ldlt();

}  // namespace taut
