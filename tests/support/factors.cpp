#include "support/factors.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace taut::testing {

MatX product(const MatX& A, const MatX& B) {
  MatX out = MatX::Zero(A.rows(), B.cols());
  for (long j = 0; j < B.cols(); ++j)
    for (long k = 0; k < A.cols(); ++k)
      for (long i = 0; i < A.rows(); ++i) out(i, j) += A(i, k) * B(k, j);
  return out;
}

Cholesky::Cholesky(MatX A) : L_(std::move(A)), is_positive_definite_(true) {
  const long n = L_.rows();
  for (long j = 0; j < n; ++j) {
    for (long k = 0; k < j; ++k)
      for (long i = j; i < n; ++i) L_(i, j) -= L_(i, k) * L_(j, k);
    is_positive_definite_ = is_positive_definite_ && L_(j, j) > 0;
    L_(j, j) = std::sqrt(L_(j, j));
    for (long i = j + 1; i < n; ++i) L_(i, j) /= L_(j, j);
  }
}

MatX Cholesky::solve(MatX B) const {
  const long n = L_.rows();
  for (long c = 0; c < B.cols(); ++c) {
    for (long j = 0; j < n; ++j) {
      B(j, c) /= L_(j, j);
      for (long i = j + 1; i < n; ++i) B(i, c) -= L_(i, j) * B(j, c);
    }
    for (long j = n - 1; j >= 0; --j) {
      for (long i = j + 1; i < n; ++i) B(j, c) -= L_(i, j) * B(i, c);
      B(j, c) /= L_(j, j);
    }
  }
  return B;
}

OrthogonalFactors::OrthogonalFactors(MatX A)
    : Q(MatX::Identity(A.rows(), A.rows())),
      R(std::move(A)),
      column(static_cast<std::size_t>(R.cols())) {
  std::iota(column.begin(), column.end(), 0);
  const long rows = R.rows(), columns = R.cols();
  for (long k = 0; k < std::min(rows, columns); ++k) {
    const auto length = [&](long j) {
      double sum = 0;
      for (long i = k; i < rows; ++i) sum += R(i, j) * R(i, j);
      return std::sqrt(sum);
    };
    long pivot = k;
    for (long j = k + 1; j < columns; ++j)
      if (length(j) > length(pivot)) pivot = j;
    if (pivot != k) {
      for (long i = 0; i < rows; ++i) std::swap(R(i, k), R(i, pivot));
      std::swap(column[static_cast<std::size_t>(k)], column[static_cast<std::size_t>(pivot)]);
    }
    if (length(k) == 0) return;
    // x − 2u(u·x)/(u·u), on what is left of A and on the columns of Qᵀ, the rows of Q.
    VecX u = VecX::Zero(rows);
    for (long i = k; i < rows; ++i) u[i] = R(i, k);
    u[k] += std::copysign(length(k), u[k]);
    double uu = 0;
    for (long i = k; i < rows; ++i) uu += u[i] * u[i];
    for (long j = k; j < columns; ++j) {
      double sum = 0;
      for (long i = k; i < rows; ++i) sum += u[i] * R(i, j);
      for (long i = k; i < rows; ++i) R(i, j) -= 2 * sum / uu * u[i];
    }
    for (long j = 0; j < rows; ++j) {
      double sum = 0;
      for (long i = k; i < rows; ++i) sum += u[i] * Q(j, i);
      for (long i = k; i < rows; ++i) Q(j, i) -= 2 * sum / uu * u[i];
    }
  }
}

}  // namespace taut::testing
