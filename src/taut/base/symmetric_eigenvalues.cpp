// Jacobi's method (1846): rotations in planes (p, q) that make a_pq zero, over and over; what is
// beside the diagonal shrinks quadratically. Not the fastest, but accurate, and quick to compile.
#include "taut/base/symmetric_eigenvalues.hpp"

#include <algorithm>
#include <cmath>

namespace taut {

VecX symmetric_eigenvalues(MatX matrix) {
  const Eigen::Index n = matrix.rows();
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = i + 1; j < n; ++j) matrix(i, j) = matrix(j, i);
  constexpr int most_sweeps = 60;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double beside = 0, diagonal = 0;
    for (Eigen::Index i = 0; i < n; ++i) {
      diagonal += matrix(i, i) * matrix(i, i);
      for (Eigen::Index j = 0; j < i; ++j) beside += matrix(i, j) * matrix(i, j);
    }
    if (!(beside > 1e-34 * diagonal)) break;
    for (Eigen::Index p = 0; p < n; ++p)
      for (Eigen::Index q = p + 1; q < n; ++q) {
        const double a = matrix(p, q);
        if (a == 0) continue;
        // tan of the angle: the smaller root of t² + 2θt − 1 = 0
        const double theta = (matrix(q, q) - matrix(p, p)) / (2 * a);
        const double t = std::copysign(1 / (std::abs(theta) + std::hypot(theta, 1.0)), theta);
        const double c = 1 / std::hypot(t, 1.0), s = t * c;
        for (Eigen::Index k = 0; k < n; ++k) {
          const double kp = matrix(k, p), kq = matrix(k, q);
          matrix(k, p) = c * kp - s * kq;
          matrix(k, q) = s * kp + c * kq;
        }
        for (Eigen::Index k = 0; k < n; ++k) {
          const double pk = matrix(p, k), qk = matrix(q, k);
          matrix(p, k) = c * pk - s * qk;
          matrix(q, k) = s * pk + c * qk;
        }
      }
  }
  VecX values(n);
  for (Eigen::Index i = 0; i < n; ++i) values[i] = matrix(i, i);
  std::sort(values.data(), values.data() + n);
  return values;
}

}  // namespace taut
