// Solving A x = b for symmetric positive semi-definite A: the one interface, and how to choose.
//
// Contract. analyze() once per pattern (may allocate); factor() once per matrix; solve() any number
// of times; none of the last two allocates after the first call.
// A may be singular: redundant constraints are a fact of life. Then x is the least-squares solution
// of smallest norm, which for b in the range of A (redundant rows that agree) solves it exactly.
// Never throws for numerical reasons; the summary says how it went.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "taut/base/types.hpp"
#include "taut/solve/sparse_symmetric.hpp"

namespace taut {

class Archive;

struct SolveSummary {
  bool ok = true;            ///< finite, and as accurate as the solver promises
  bool regularized = false;  ///< A was found singular
  int iterations = 0;        ///< of the iterative solvers, or of the refinement
  double residual = 0;       ///< |A x − b| / |b|, where it was measured: iterative or singular
};

class LinearSolver {
 public:
  virtual ~LinearSolver() = default;
  virtual std::string_view name() const = 0;
  virtual void analyze(const SparseSymmetric& A) = 0;
  /// Pivots below this, relative to their diagonal entry, make A singular, where pivots are seen.
  virtual void set_singular_pivot(double /*relative*/) {}
  /// Keeps a reference to A until the next call.
  virtual void factor(const SparseSymmetric& A) = 0;
  virtual SolveSummary solve(const VecX& b, VecX& x) = 0;
  /// The same for those who need no more than |A x − b| ≤ tolerance·|b|: cheaper where the solver
  /// iterates.
  virtual SolveSummary solve_within(const VecX& b, VecX& x, double /*tolerance*/) {
    return solve(b, x);
  }
  /// What later solves take from those before; A is that of analyze().
  virtual void archive(Archive&, const SparseSymmetric& /*A*/) {}
};

struct SolverInfo {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<LinearSolver> (*make)();
};

/// Every solver, by name. "auto" is not among them: it chooses.
std::span<const SolverInfo> linear_solvers();

/// Rows in loops upon loops, from which on "auto" takes iterations; see linear_solver.cpp.
inline constexpr int large_core = 800;

/// By name; "auto" picks by size and structure of A. Throws Error for a name that is not known.
std::unique_ptr<LinearSolver> make_linear_solver(std::string_view name, const SparseSymmetric& A);

}  // namespace taut
