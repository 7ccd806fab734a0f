// Dense L D Lᵀ for small systems, where bookkeeping would cost more than arithmetic.
#include <algorithm>
#include <limits>

#include "taut/solve/linear_direct.hpp"

namespace taut {
namespace {

class DenseLdlt final : public Factorization {
 public:
  void analyze(const SparseSymmetric& A) override {
    L_.setZero(A.size(), A.size());
    inverse_D_.resize(A.size());
  }

  double factor(const SparseSymmetric& A, double shift, double least) override {
    const int n = A.size();
    double smallest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < n; ++i) {
      double* row = L_.data() + i * n;  // row-major
      std::fill(row, row + i, 0.0);
      for (int p = A.row_begin[i]; p < A.row_begin[i + 1]; ++p) row[A.column[p]] = A.value[p];
      double pivot = row[i] + shift;
      // Row i of L D by forward substitution, then of L by dividing by D.
      for (int j = 0; j < i; ++j) {
        const double* upper = L_.data() + j * n;
        double sum = row[j];
        for (int k = 0; k < j; ++k) sum -= row[k] * upper[k];
        row[j] = sum;
      }
      for (int j = 0; j < i; ++j) {
        const double l = row[j] * inverse_D_[j];
        pivot -= l * row[j];
        row[j] = l;
      }
      const double relative = relative_pivot(pivot, row[i]);
      smallest = std::min(smallest, relative);
      inverse_D_[i] = relative < least ? 0 : 1 / pivot;
    }
    return smallest;
  }

  std::unique_ptr<Factorization> clone() const override {
    return std::make_unique<DenseLdlt>(*this);
  }

  void solve_in_place(VecX& x) const override {
    const int n = static_cast<int>(x.size());
    for (int i = 1; i < n; ++i) {
      const double* row = L_.data() + i * n;
      double sum = x[i];
      for (int j = 0; j < i; ++j) sum -= row[j] * x[j];
      x[i] = sum;
    }
    x.array() *= inverse_D_.array();
    for (int i = n - 1; i > 0; --i) {
      const double* row = L_.data() + i * n;
      for (int j = 0; j < i; ++j) x[j] -= row[j] * x[i];
    }
  }

 private:
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> L_;
  VecX inverse_D_;
};

}  // namespace

std::unique_ptr<LinearSolver> make_dense_ldlt() {
  return std::make_unique<DirectSolver>("ldlt_dense", std::make_unique<DenseLdlt>());
}

}  // namespace taut
