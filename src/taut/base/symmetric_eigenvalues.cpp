// Jacobi's method (1846): rotations in planes (p, q) that make a_pq zero, over and over; what is
// beside the diagonal shrinks quadratically. Not the fastest for large matrices, but accurate, and
// quick to compile.
#include "taut/base/symmetric_eigenvalues.hpp"

#include <algorithm>
#include <cmath>

namespace taut {
namespace {

/// Turns the vectors x and y, of `size` entries that are `stride` apart, in their plane.
void rotate(double* x, double* y, int size, int stride, double c, double s) {
  for (int k = 0; k < size * stride; k += stride) {
    const double xk = x[k], yk = y[k];
    x[k] = c * xk - s * yk;
    y[k] = s * xk + c * yk;
  }
}

}  // namespace

void diagonalize(double* matrix, double* vectors, int n) {
  constexpr int most_sweeps = 60;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double beside = 0, diagonal = 0;
    for (int j = 0; j < n; ++j) {
      diagonal += matrix[j + n * j] * matrix[j + n * j];
      for (int i = j + 1; i < n; ++i) beside += matrix[i + n * j] * matrix[i + n * j];
    }
    if (!(beside > 1e-34 * diagonal)) return;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) {
        const double a = matrix[q + n * p];
        if (a == 0) continue;
        // tan of the angle: the smaller root of t² + 2θt − 1 = 0
        const double theta = (matrix[q + n * q] - matrix[p + n * p]) / (2 * a);
        const double t = std::copysign(1 / (std::abs(theta) + std::sqrt(theta * theta + 1)), theta);
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        rotate(matrix + n * p, matrix + n * q, n, 1, c, s);
        rotate(matrix + p, matrix + q, n, n, c, s);
        if (vectors) rotate(vectors + n * p, vectors + n * q, n, 1, c, s);
      }
  }
}

VecX symmetric_eigenvalues(MatX matrix) {
  const int n = static_cast<int>(matrix.rows());
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) matrix(i, j) = matrix(j, i);
  diagonalize(matrix.data(), nullptr, n);
  VecX values(n);
  for (int i = 0; i < n; ++i) values[i] = matrix(i, i);
  std::sort(values.data(), values.data() + n);
  return values;
}

}  // namespace taut
