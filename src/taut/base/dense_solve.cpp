#include "taut/base/dense_solve.hpp"

#include <cmath>
#include <utility>

namespace taut {

bool solve_positive_definite(double* matrix, int n, double* x, int count) {
  for (int j = 0; j < n; ++j) {  // A = L Lᵀ column by column
    double* column = matrix + j * n;
    if (!(column[j] > 0)) return false;
    const double root = std::sqrt(column[j]);
    column[j] = root;
    for (int i = j + 1; i < n; ++i) column[i] /= root;
    for (int k = j + 1; k < n; ++k)
      for (int i = k; i < n; ++i) matrix[i + k * n] -= column[i] * column[k];
  }
  for (double* const end = x + n * count; x < end; x += n) {
    for (int j = 0; j < n; ++j) {  // L y = b
      const double* column = matrix + j * n;
      x[j] /= column[j];
      for (int i = j + 1; i < n; ++i) x[i] -= column[i] * x[j];
    }
    for (int j = n - 1; j >= 0; --j) {  // Lᵀ x = y
      const double* column = matrix + j * n;
      for (int i = j + 1; i < n; ++i) x[j] -= column[i] * x[i];
      x[j] /= column[j];
    }
  }
  return true;
}

bool solve_square(double* matrix, int n, double* x) {
  for (int j = 0; j < n; ++j) {
    double* column = matrix + j * n;
    int pivot = j;
    for (int i = j + 1; i < n; ++i)
      if (std::abs(column[i]) > std::abs(column[pivot])) pivot = i;
    if (!(std::abs(column[pivot]) > 0)) return false;
    if (pivot != j) {
      for (int k = j; k < n; ++k) std::swap(matrix[j + k * n], matrix[pivot + k * n]);
      std::swap(x[j], x[pivot]);
    }
    for (int i = j + 1; i < n; ++i) {
      const double factor = column[i] / column[j];
      for (int k = j + 1; k < n; ++k) matrix[i + k * n] -= factor * matrix[j + k * n];
      x[i] -= factor * x[j];
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) x[i] -= matrix[i + k * n] * x[k];
    x[i] /= matrix[i + i * n];
  }
  return true;
}

}  // namespace taut
