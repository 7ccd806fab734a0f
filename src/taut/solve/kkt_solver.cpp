#include "taut/solve/kkt_solver.hpp"

#include "taut/solve/kkt_krylov.hpp"
#include "taut/solve/kkt_matrix.hpp"

namespace taut {
namespace {

// Measured on square cloth: at 12 × 12 vertices a direct step is as fast as an iterated one.
constexpr int many_loops = 130;

/// Loops in the graph whose nodes are bodies and whose lines are constraints between two of them,
/// if it is connected; else fewer.
int loops(const System& system, const RowPattern& pattern) {
  int lines = 0;
  for (const int row : pattern.constraint_row)
    lines += std::max(0, pattern.first_block[row + 1] - pattern.first_block[row] - 1);
  return lines - system.body_count() + 1;
}

}  // namespace

bool is_sheet(const System& system, const RowPattern& pattern) {
  return loops(system, pattern) > many_loops;
}

std::unique_ptr<KktSolver> make_kkt_solver(const System& system, const RowPattern& pattern) {
  if (is_sheet(system, pattern)) return std::make_unique<KktKrylov>(system, pattern);
  return std::make_unique<KktMatrix>(system, pattern);
}

}  // namespace taut
