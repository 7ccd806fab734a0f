// Pivoting, with bounds for friction along each of two axes instead of a cone: |r_1|, |r_2| ≤ μ N.
// N is the normal impulse (a pyramid), found by repeating the solve with the last one; or what it
// is without friction (a box), as in many engines.
#include <algorithm>
#include <cmath>

#include "taut/solve/cone_work_internal.hpp"

namespace taut {
namespace {

constexpr int most_updates_of_bounds = 50;  // of the bounds of a pyramid

}  // namespace

bool ConeSolver::Work::pivoting(bool is_pyramid) {
  dense_response();
  MatX& A = pivoting_work.A;
  const int rows = matrix.rows();
  A = Eigen::Map<const MatX>(gauss_seidel_work.A.data(), rows, rows);
  VecX &r = pivoting_work.r, &scale_of_rows = pivoting_work.scale;
  r.setZero(rows);
  motion_of(r);
  pivoting_work.b = u;
  scale_of_rows.resize(rows);
  pivoting_work.bounds.assign(static_cast<std::size_t>(rows), Bounds{0, 0});
  for (int g = 0; g < groups(); ++g) {
    const ConeLaw& law = laws[static_cast<std::size_t>(g)];
    for (int i = 0; i < law.rows(); ++i) {
      A(row(g) + i, row(g) + i) += law.compliance_of(i);
      scale_of_rows[row(g) + i] = response[g];
    }
    Bounds& normal = pivoting_work.bounds[static_cast<std::size_t>(row(g))];
    normal.upper = std::numeric_limits<double>::infinity();
    if (law.kind == ConeLaw::Kind::interval) normal = {law.lower, law.upper};
  }
  const auto solve = [&] {
    const BoxReport box =
        pivoting_work.solver.solve(A, pivoting_work.b, scale_of_rows, pivoting_work.bounds, r);
    report.backsolves += box.rounds;
    return box.ok;
  };
  bool is_solved = solve();
  for (int repetition = 0; is_solved && repetition < most_updates_of_bounds; ++repetition) {
    double change = 0, largest = 0;
    for (int g = 0; g < groups(); ++g) {
      const ConeLaw& law = laws[static_cast<std::size_t>(g)];
      for (const Disc& disc : Discs(law)) {
        const double most = disc.coefficient * std::max(r[row(g)], 0.0);
        for (int i = disc.first; i < disc.first + disc.size; ++i) {
          Bounds& bounds = pivoting_work.bounds[static_cast<std::size_t>(row(g) + i)];
          change = std::max(change, std::abs(most - bounds.upper));
          bounds = {-most, most};
        }
        largest = std::max(largest, most);
      }
    }
    if (!(change > 1e-12 * largest)) break;
    is_solved = solve();
    if (!is_pyramid) break;
    if (repetition + 1 == most_updates_of_bounds) is_solved = change <= 1e-6 * largest;
  }
  // Its own answer, whatever the cones say of it; the residual is theirs.
  best = r;
  motion_of(best);
  best_residual = residual_of(best);
  return is_solved;
}

}  // namespace taut
