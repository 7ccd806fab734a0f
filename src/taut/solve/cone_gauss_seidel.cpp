// Gauss and Seidel's method with the exact answer for one group at a time, on the dense matrix
// H A⁻¹ Hᵀ of a small problem.
#include <cmath>

#include "taut/solve/cone_work_internal.hpp"

namespace taut {

void ConeSolver::Work::dense_response() {
  GaussSeidel& s = gauss_seidel_work;
  if (s.has_matrix) return;
  const int rows = matrix.rows();
  s.A.resize(Eigen::Index{rows} * rows);
  s.unit.setZero(rows);
  s.column.resize(rows);
  for (int i = 0; i < rows; ++i) {
    s.unit[i] = 1;
    change_of(s.unit);
    matrix.relative(change_v, s.column);
    s.A.segment(Eigen::Index{i} * rows, rows) = s.column;
    s.unit[i] = 0;
  }
  s.has_matrix = true;
}

bool ConeSolver::Work::gauss_seidel(int most_sweeps) {
  GaussSeidel& s = gauss_seidel_work;
  dense_response();
  const int rows = matrix.rows();
  const auto column = [&](int i) { return s.A.segment(Eigen::Index{i} * rows, rows); };
  s.r = best;
  motion_of(s.r);
  s.u = u;
  for (int sweep = 0; sweep < most_sweeps && !is_spent(); ++sweep) {
    ++report.sweeps;
    for (int g = 0; g < groups(); ++g) {
      const ConeLaw& law = laws[static_cast<std::size_t>(g)];
      const int first = row(g), count = law.rows();
      double A[ConeLaw::most_rows * ConeLaw::most_rows], q[ConeLaw::most_rows];
      double r[ConeLaw::most_rows];
      for (int i = 0; i < count; ++i) {
        q[i] = s.u[first + i];
        for (int j = 0; j < count; ++j) {
          A[i * count + j] = column(first + j)[first + i];
          q[i] -= A[i * count + j] * s.r[first + j];
        }
        // Enough to be definite: what cannot be moved must not be divided by.
        A[i * (count + 1)] += law.compliance_of(i) + 1e-12 * response[g];
      }
      cone::solve_alone(law, A, q, r);
      for (int i = 0; i < count; ++i) {
        const double change = r[i] - s.r[first + i];
        if (!std::isfinite(change)) return false;
        if (change == 0) continue;
        s.u += change * column(first + i);
        s.r[first + i] = r[i];
      }
    }
    if (consider(s.r)) return true;
    s.u = u;
  }
  return false;
}

}  // namespace taut
