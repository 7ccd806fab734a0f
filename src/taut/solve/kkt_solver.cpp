#include "taut/solve/kkt_solver.hpp"

#include <algorithm>

#include "taut/solve/kkt_krylov.hpp"
#include "taut/solve/kkt_matrix.hpp"

namespace taut {
namespace {

// Measured on square cloth: at 12 × 12 vertices a direct step is as fast as an iterated one.
constexpr int many_loops = 130;
// Of springs alone, with bending: at 20 × 20 vertices. Their fill costs more from there on.
constexpr int many_tied = 2000;

/// Loops in the graph whose nodes are bodies and whose lines are constraints between two of them,
/// if it is connected; else fewer.
int loops(const System& system, const RowPattern& pattern) {
  int lines = 0;
  for (const int row : pattern.constraint_row)
    lines += std::max(0, pattern.first_block[row + 1] - pattern.first_block[row] - 1);
  return lines - system.body_count() + 1;
}

/// The same of forces that tie bodies to each other.
int tied_loops(const System& system, const RowPattern& pattern) {
  const auto is_pair = [](const StiffnessBlock& block) { return block.row_dof != block.col_dof; };
  const auto pairs =
      std::count_if(pattern.coupling_blocks.begin(), pattern.coupling_blocks.end(), is_pair);
  return static_cast<int>(pairs) - system.body_count() + 1;
}

}  // namespace

bool is_sheet(const System& system, const RowPattern& pattern) {
  return loops(system, pattern) > many_loops;
}

std::unique_ptr<KktSolver> make_kkt_solver(const System& system, const RowPattern& pattern) {
  if (is_sheet(system, pattern) || tied_loops(system, pattern) > many_tied)
    return std::make_unique<KktKrylov>(system, pattern);
  return std::make_unique<KktMatrix>(system, pattern);
}

}  // namespace taut
