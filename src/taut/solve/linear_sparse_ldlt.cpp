// Sparse L D Lᵀ, up-looking: row k of L is the solution of a sparse triangular system with the rows
// above it. The ordering, the elimination tree and the pattern of L are found once per pattern; a
// factorisation then only computes numbers, and allocates nothing (which is why it is ours: the
// library ones allocate in every call).
//
// A chain of constraints in its natural order gives a band, with no fill and perfectly sequential
// memory access; a minimum-degree ordering is taken only where it saves fill.
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <limits>
#include <numeric>

#include "taut/solve/linear_direct.hpp"

namespace taut {
namespace {

class SparseLdlt final : public Factorization {
 public:
  void analyze(const SparseSymmetric& A) override {
    order_.resize(static_cast<std::size_t>(A.size()));
    std::iota(order_.begin(), order_.end(), 0);
    plan(A);
    const std::size_t natural_fill = row_.size();
    if (natural_fill > 2 * A.column.size()) {  // the band is wide: try to do better
      const std::vector<int> natural = order_;
      order_ = minimum_degree(A);
      plan(A);
      if (row_.size() > natural_fill * 4 / 5) {
        order_ = natural;
        plan(A);
      }
    }
    value_.resize(row_.size());
    inverse_D_.resize(A.size());
    scratch_.setZero(A.size());
    permuted_.resize(A.size());
    next_.resize(order_.size());
    is_natural_ = std::is_sorted(order_.begin(), order_.end());
  }

  double factor(const SparseSymmetric& A, double shift, double least) override {
    double smallest = std::numeric_limits<double>::infinity();
    std::copy(column_begin_.begin(), column_begin_.end() - 1, next_.begin());
    double* y = scratch_.data();
    for (std::size_t k = 0; k < order_.size(); ++k) {
      double diagonal = 0;
      for (int e = entry_begin_[k]; e < entry_begin_[k + 1]; ++e) {
        if (entry_[e].column == static_cast<int>(k)) {
          diagonal = A.value[entry_[e].source];
        } else {
          y[entry_[e].column] = A.value[entry_[e].source];
        }
      }
      double pivot = diagonal + shift;
      for (int p = pattern_begin_[k]; p < pattern_begin_[k + 1]; ++p) {
        const std::size_t j = static_cast<std::size_t>(pattern_[p]);
        const double yj = y[j];
        y[j] = 0;
        const int end = next_[j];
        next_[j] = end + 1;
        value_[end] = 0;
        if (yj == 0) continue;  // rows that are off, as slack strings are
        for (int q = column_begin_[j]; q < end; ++q) y[row_[q]] -= value_[q] * yj;
        const double l = yj * inverse_D_[j];
        pivot -= l * yj;
        value_[end] = l;
      }
      const double relative = relative_pivot(pivot, diagonal);
      smallest = std::min(smallest, relative);
      inverse_D_[k] = relative < least ? 0 : 1 / pivot;
    }
    return smallest;
  }

  std::unique_ptr<Factorization> clone() const override {
    return std::make_unique<SparseLdlt>(*this);
  }

  void solve_in_place(VecX& x) const override {
    if (is_natural_) {
      substitute(x);
      return;
    }
    for (std::size_t k = 0; k < order_.size(); ++k) permuted_[k] = x[order_[k]];
    substitute(permuted_);
    for (std::size_t k = 0; k < order_.size(); ++k) x[order_[k]] = permuted_[k];
  }

 private:
  struct Entry {
    int column;  // in the new order
    int source;  // in A.value
  };

  static std::vector<int> minimum_degree(const SparseSymmetric& A) {
    std::vector<Eigen::Triplet<double, int>> pattern;
    for (int i = 0; i < A.size(); ++i)
      for (int p = A.row_begin[i]; p < A.row_begin[i + 1]; ++p)
        pattern.emplace_back(i, A.column[p], 1.0);
    Eigen::SparseMatrix<double> lower(A.size(), A.size());
    lower.setFromTriplets(pattern.begin(), pattern.end());
    Eigen::AMDOrdering<int>::PermutationType permutation;
    Eigen::AMDOrdering<int>()(lower.selfadjointView<Eigen::Lower>(), permutation);
    // Eigen gives the inverse: position of each old row; its indices list old rows in new order.
    return {permutation.indices().data(), permutation.indices().data() + A.size()};
  }

  // For the current order: the rows of A in it, and by the elimination tree the pattern of L.
  void plan(const SparseSymmetric& A) {
    const std::size_t n = order_.size();
    std::vector<int> position(n);
    for (std::size_t k = 0; k < n; ++k) position[order_[k]] = static_cast<int>(k);

    entry_begin_.assign(n + 1, 0);
    for (int i = 0; i < A.size(); ++i)
      for (int p = A.row_begin[i]; p < A.row_begin[i + 1]; ++p)
        ++entry_begin_[std::max(position[i], position[A.column[p]]) + 1];
    std::partial_sum(entry_begin_.begin(), entry_begin_.end(), entry_begin_.begin());
    entry_.resize(A.column.size());
    std::vector<int> free(entry_begin_.begin(), entry_begin_.end() - 1);
    for (int i = 0; i < A.size(); ++i)
      for (int p = A.row_begin[i]; p < A.row_begin[i + 1]; ++p) {
        const int a = position[i], b = position[A.column[p]];
        entry_[free[std::max(a, b)]++] = {std::min(a, b), p};
      }

    // Row k of L reaches, from the columns of row k of A, up the elimination tree (Liu).
    std::vector<int> parent(n, -1), mark(n, -1), count(n + 1, 0);
    pattern_.clear();
    pattern_begin_.assign(1, 0);
    for (std::size_t k = 0; k < n; ++k) {
      mark[k] = static_cast<int>(k);
      for (int e = entry_begin_[k]; e < entry_begin_[k + 1]; ++e) {
        for (int j = entry_[e].column; mark[j] != static_cast<int>(k); j = parent[j]) {
          if (parent[j] < 0) parent[j] = static_cast<int>(k);
          mark[j] = static_cast<int>(k);
          pattern_.push_back(j);
          ++count[j + 1];
        }
      }
      // Ascending is a topological order: parents come after their children.
      std::sort(pattern_.begin() + pattern_begin_.back(), pattern_.end());
      pattern_begin_.push_back(static_cast<int>(pattern_.size()));
    }
    std::partial_sum(count.begin(), count.end(), count.begin());
    column_begin_ = count;
    row_.resize(pattern_.size());
    for (std::size_t k = 0; k < n; ++k)
      for (int p = pattern_begin_[k]; p < pattern_begin_[k + 1]; ++p)
        row_[count[pattern_[p]]++] = static_cast<int>(k);
  }

  void substitute(VecX& x) const {
    const int n = static_cast<int>(order_.size());
    for (int j = 0; j < n; ++j) {
      const double xj = x[j];
      for (int p = column_begin_[j]; p < column_begin_[j + 1]; ++p) x[row_[p]] -= value_[p] * xj;
    }
    x.array() *= inverse_D_.array();
    for (int j = n - 1; j >= 0; --j) {
      double xj = x[j];
      for (int p = column_begin_[j]; p < column_begin_[j + 1]; ++p) xj -= value_[p] * x[row_[p]];
      x[j] = xj;
    }
  }

  std::vector<int> order_;  // old row of each new one
  bool is_natural_ = true;
  std::vector<int> entry_begin_;
  std::vector<Entry> entry_;                  // A, lower half by rows, in the new order
  std::vector<int> pattern_begin_, pattern_;  // L by rows
  std::vector<int> column_begin_, row_;       // L by columns, strictly lower
  std::vector<double> value_;
  VecX inverse_D_, scratch_;
  mutable VecX permuted_;
  std::vector<int> next_;
};

}  // namespace

std::unique_ptr<Factorization> make_sparse_factorization() {
  return std::make_unique<SparseLdlt>();
}

std::unique_ptr<LinearSolver> make_sparse_ldlt() {
  return std::make_unique<DirectSolver>("ldlt_sparse", make_sparse_factorization());
}

}  // namespace taut
