#include "taut/solve/linear_solver.hpp"

#include <array>
#include <string>
#include <vector>

#include "taut/base/error.hpp"
#include "taut/solve/linear_direct.hpp"
#include "taut/solve/linear_krylov.hpp"
#include "taut/solve/path_factor.hpp"

namespace taut {
namespace {

constexpr std::array<SolverInfo, 5> solvers{{
    {"ldlt_dense", "dense LDLᵀ; for small systems", &make_dense_ldlt},
    {"ldlt_sparse", "sparse LDLᵀ, pattern analysed once; linear time on chains and trees",
     &make_sparse_ldlt},
    {"pcg_paths",
     "conjugate gradients, preconditioned along paths of rows; linear time on cloth of any size",
     &make_pcg_paths},
    {"pcg", "conjugate gradients, diagonal preconditioner", &make_pcg},
    {"bicgstab", "stabilised bi-conjugate gradients, diagonal preconditioner", &make_bicgstab},
}};

// Measured: below about a dozen rows, or while more than half of the matrix is non-zero, the dense
// factorisation is the faster one. Where more than some hundred rows are left when all leaves are
// eliminated, there are loops upon loops, as in cloth: a direct solver's fill then grows faster
// than the matrix (large_core).
std::string_view choose(const SparseSymmetric& A) {
  const double n = A.size();
  const double filled = static_cast<double>(A.column.size()) / (0.5 * n * (n + 1));
  if (n <= 4 || (n <= 60 && filled > 0.5)) return "ldlt_dense";
  if (n <= large_core) return "ldlt_sparse";
  PathFactor paths;
  paths.analyze(A);
  return paths.core_size() > large_core ? "pcg_paths" : "ldlt_sparse";
}

}  // namespace

std::span<const SolverInfo> linear_solvers() { return solvers; }

std::unique_ptr<LinearSolver> make_linear_solver(std::string_view name, const SparseSymmetric& A) {
  if (name == "auto") name = choose(A);
  std::vector<std::string_view> known{"auto"};
  for (const SolverInfo& solver : solvers) {
    if (solver.name == name) {
      auto made = solver.make();
      made->analyze(A);
      return made;
    }
    known.push_back(solver.name);
  }
  throw Error("there is no linear solver \"" + std::string(name) + "\"" + suggestion(name, known));
}

}  // namespace taut
