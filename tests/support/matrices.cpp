// Short textbook methods, compiled in a second where Eigen's decompositions take half a minute.
#include "support/matrices.hpp"

#include <algorithm>
#include <cmath>

#include "taut/base/symmetric_eigenvalues.hpp"

namespace taut::testing {
namespace {

/// The columns of A V are orthogonal, with V orthogonal (Hestenes 1958): with them, the singular
/// values of A are their lengths.
struct OrthogonalColumns {
  MatX AV, V;
  VecX lengths;
};

double dot(const double* x, const double* y, long size) {
  double sum = 0;
  for (long i = 0; i < size; ++i) sum += x[i] * y[i];
  return sum;
}

OrthogonalColumns orthogonal_columns(const MatX& A) {
  OrthogonalColumns result{A, MatX::Identity(A.cols(), A.cols()), {}};
  auto& [U, V, lengths] = result;
  bool turned = true;
  for (int sweep = 0; turned && sweep < 60; ++sweep) {
    turned = false;
    for (long p = 0; p < U.cols(); ++p)
      for (long q = p + 1; q < U.cols(); ++q) {
        const double *x = U.data() + p * U.rows(), *y = U.data() + q * U.rows();
        const double a = dot(x, y, U.rows()), xx = dot(x, x, U.rows()), yy = dot(y, y, U.rows());
        if (!(std::abs(a) > 1e-14 * std::sqrt(xx * yy))) continue;
        turned = true;
        const double theta = (yy - xx) / (2 * a);
        const double t = std::copysign(1 / (std::abs(theta) + std::hypot(theta, 1.0)), theta);
        const double c = 1 / std::hypot(t, 1.0), s = t * c;
        for (MatX* X : {&U, &V}) {
          double *of_p = X->data() + p * X->rows(), *of_q = X->data() + q * X->rows();
          for (long i = 0; i < X->rows(); ++i) {
            const double xi = of_p[i], yi = of_q[i];
            of_p[i] = c * xi - s * yi;
            of_q[i] = s * xi + c * yi;
          }
        }
      }
  }
  lengths = U.colwise().norm();
  return result;
}

struct Diagonal {
  VecX values;
  MatX vectors;
};

Diagonal diagonal_form(MatX symmetric) {
  Diagonal result{{}, MatX::Identity(symmetric.rows(), symmetric.rows())};
  diagonalize(symmetric.data(), result.vectors.data(), static_cast<int>(symmetric.rows()));
  result.values = symmetric.diagonal();
  return result;
}

}  // namespace

SparseSymmetric sparse(const MatX& dense) {
  SparseSymmetric A;
  std::vector<double> values;
  for (int i = 0; i < dense.rows(); ++i) {
    for (int j = 0; j <= i; ++j)
      if (dense(i, j) != 0 || i == j) {
        A.column.push_back(j);
        values.push_back(dense(i, j));
      }
    A.row_begin.push_back(static_cast<int>(A.column.size()));
  }
  A.value = Eigen::Map<VecX>(values.data(), static_cast<Eigen::Index>(values.size()));
  return A;
}

double smallest_eigenvalue(const MatX& symmetric) { return symmetric_eigenvalues(symmetric)[0]; }

// With M = S⁻ᵀS⁻¹, x = S y: Sᵀ K S y = ω² y.
Modes generalized_modes(const MatX& K, const MatX& M) {
  const Diagonal mass = diagonal_form(M);
  const MatX S = mass.vectors * mass.values.cwiseSqrt().cwiseInverse().asDiagonal();
  const Diagonal modes = diagonal_form(S.transpose() * K * S);
  return {modes.values, S * modes.vectors};
}

// Elimination with complete pivoting. Plain loops: tests are compiled without optimisation.
int rank(const MatX& matrix, double threshold) {
  MatX A = matrix;
  const long rows = A.rows(), cols = A.cols();
  double largest = 0;
  for (int found = 0; found < std::min(rows, cols); ++found) {
    long pivot_row = found, pivot_col = found;
    double pivot = 0;
    for (long j = found; j < cols; ++j) {
      const double* column = A.data() + j * rows;
      for (long i = found; i < rows; ++i)
        if (std::abs(column[i]) > pivot) {
          pivot = std::abs(column[i]);
          pivot_row = i;
          pivot_col = j;
        }
    }
    largest = std::max(largest, pivot);
    if (!(pivot > threshold * largest)) return found;
    A.row(found).swap(A.row(pivot_row));
    A.col(found).swap(A.col(pivot_col));
    const double* eliminated = A.data() + found * rows;
    for (long j = found + 1; j < cols; ++j) {
      double* column = A.data() + j * rows;
      const double factor = column[found] / eliminated[found];
      if (factor != 0)
        for (long i = found; i < rows; ++i) column[i] -= factor * eliminated[i];
    }
  }
  return static_cast<int>(std::min(rows, cols));
}

// Of Aᵀ, because A has fewer rows than columns: Aᵀ V = U S, so A⁺ = U S⁻¹ Vᵀ.
VecX least_squares(const MatX& A, const VecX& b) {
  const auto [US, V, lengths] = orthogonal_columns(A.transpose());
  VecX x = VecX::Zero(A.cols());
  for (int k = 0; k < A.rows(); ++k)
    if (lengths[k] > 1e-13 * lengths.maxCoeff())
      x += US.col(k) * (V.col(k).dot(b) / (lengths[k] * lengths[k]));
  return x;
}

}  // namespace taut::testing
