#include <Eigen/OrderingMethods>
#include <algorithm>
#include <cmath>
#include <map>

#include "taut/analysis/pivoted_qr_internal.hpp"
#include "taut/analysis/row_dependencies_internal.hpp"

namespace taut {
namespace {

constexpr int dense_limit = 400;        // columns; above, a sparse factorisation is faster
constexpr double negligible = 1e-9;     // coefficients that are rounding
constexpr double weakest_pivot = 1e-6;  // a column is named only if it takes part noticeably

ColumnCombination compressed(const VecX& y) {
  ColumnCombination combination;
  const double floor = negligible * y.lpNorm<Eigen::Infinity>();
  for (int i = 0; i < y.size(); ++i)
    if (std::abs(y[i]) > floor) combination.emplace_back(i, y[i]);
  return combination;
}

std::vector<ColumnCombination> dense_null_space(const SparseMatrix& A, double tolerance) {
  const PivotedQr qr(A, tolerance);
  std::vector<ColumnCombination> basis;
  for (int k = qr.rank(); k < A.cols(); ++k) basis.push_back(compressed(qr.null_vector(k)));
  return basis;
}

// Sparse QR by Givens rotations, row by row (George and Heath 1980), without Q: R has the fill of
// the Cholesky factor of AᵀA. Where a diagonal entry vanishes, the rest of its row is rotated into
// the rows below (Heath 1982), which leaves R in echelon form.
class GivensQr {
 public:
  using Row = ColumnCombination;  // (column, value), ascending

  GivensQr(const SparseMatrix& A, double tolerance)
      : rows_(static_cast<std::size_t>(A.cols())), is_pivot_(rows_.size(), false) {
    const Eigen::SparseMatrix<double, Eigen::RowMajor> by_rows(A);
    std::vector<Row> input;
    for (Eigen::Index r = 0; r < by_rows.rows(); ++r) {
      Row row;
      for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator it(by_rows, r); it; ++it)
        row.emplace_back(static_cast<int>(it.col()), it.value());
      if (!row.empty()) input.push_back(std::move(row));
    }
    // Rows that reach far come last, so that the others find little to be rotated with.
    std::stable_sort(input.begin(), input.end(),
                     [](const Row& x, const Row& y) { return x.back().first < y.back().first; });
    for (Row& row : input) rotate_in(std::move(row));
    for (std::size_t c = 0; c < rows_.size(); ++c) {
      if (rows_[c].empty()) continue;
      is_pivot_[c] = std::abs(rows_[c].front().second) > tolerance;
      if (is_pivot_[c]) continue;
      Row rest(rows_[c].begin() + 1, rows_[c].end());
      rows_[c].clear();
      rotate_in(std::move(rest));
    }
  }

  bool is_pivot(int column) const { return is_pivot_[static_cast<std::size_t>(column)]; }

  /// The null vector with 1 at `column`, which is no pivot, and else only pivots before it.
  VecX null_vector(int column) const {
    VecX y = VecX::Zero(static_cast<Eigen::Index>(rows_.size()));
    y[column] = 1;
    for (int p = column - 1; p >= 0; --p) {
      if (!is_pivot(p)) continue;
      const Row& row = rows_[static_cast<std::size_t>(p)];
      double sum = 0;
      for (std::size_t i = 1; i < row.size(); ++i) sum += row[i].second * y[row[i].first];
      y[p] = -sum / row.front().second;
    }
    return y;
  }

 private:
  // Each rotation zeroes the first entry of the row against the row of R that begins there.
  void rotate_in(Row row) {
    while (!row.empty()) {
      Row& pivot = rows_[static_cast<std::size_t>(row.front().first)];
      if (pivot.empty()) {
        pivot = std::move(row);
        return;
      }
      const double a = pivot.front().second, b = row.front().second, r = std::hypot(a, b);
      if (r == 0) {
        row.erase(row.begin());
        continue;
      }
      rotate(pivot, row, a / r, b / r);
    }
  }

  // pivot ← c·pivot + s·row, row ← c·row − s·pivot without its first entry.
  void rotate(Row& pivot, Row& row, double c, double s) {
    upper_.clear();
    lower_.clear();
    auto x = pivot.begin(), y = row.begin();
    while (x != pivot.end() || y != row.end()) {
      const bool has_x = x != pivot.end() && (y == row.end() || x->first <= y->first);
      const bool has_y = y != row.end() && (x == pivot.end() || y->first <= x->first);
      const int column = has_x ? x->first : y->first;
      const double p = has_x ? (x++)->second : 0, q = has_y ? (y++)->second : 0;
      upper_.emplace_back(column, c * p + s * q);
      const double below = c * q - s * p;
      if (upper_.size() > 1 && below != 0) lower_.emplace_back(column, below);
    }
    pivot.swap(upper_);
    row.swap(lower_);
  }

  std::vector<Row> rows_;  // of R, by the column they begin at
  std::vector<bool> is_pivot_;
  Row upper_, lower_;
};

std::vector<ColumnCombination> sparse_null_space(const SparseMatrix& A, double tolerance) {
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::COLAMDOrdering<int>()(A, order);
  const auto new_place = order.indices();  // of each column
  std::vector<Eigen::Triplet<double>> entries;
  for (int c = 0; c < A.cols(); ++c)
    for (SparseMatrix::InnerIterator it(A, c); it; ++it)
      entries.emplace_back(it.row(), new_place[c], it.value());
  SparseMatrix ordered(A.rows(), A.cols());
  ordered.setFromTriplets(entries.begin(), entries.end());
  const GivensQr qr(ordered, tolerance);
  std::vector<ColumnCombination> basis;
  for (int c = 0; c < A.cols(); ++c)
    if (!qr.is_pivot(new_place[c]))
      basis.push_back(compressed(order.transpose() * qr.null_vector(new_place[c])));
  return basis;
}

/// y − factor·x, without column `without` and without rounding.
ColumnCombination subtract(const ColumnCombination& y, double factor, const ColumnCombination& x,
                           int without) {
  ColumnCombination out;
  auto a = y.begin(), b = x.begin();
  while (a != y.end() || b != x.end()) {
    const bool take_a = b == x.end() || (a != y.end() && a->first <= b->first);
    const bool take_b = a == y.end() || (b != x.end() && b->first <= a->first);
    const int column = take_a ? a->first : b->first;
    double size = 0, value = 0;
    if (take_a) size = std::abs(value = (a++)->second);
    if (take_b) {
      const double part = factor * (b++)->second;
      value -= part;
      size = std::max(size, std::abs(part));
    }
    if (column != without && std::abs(value) > negligible * size) out.emplace_back(column, value);
  }
  return out;
}

void scale(ColumnCombination& y, double factor) {
  for (auto& [column, value] : y) value *= factor;
}

double largest(const ColumnCombination& y) {
  double size = 0;
  for (const auto& [column, value] : y) size = std::max(size, std::abs(value));
  return size;
}

}  // namespace

std::vector<ColumnCombination> null_space(const SparseMatrix& A, double tolerance) {
  // Zero columns depend on nothing; taken out, as orderings do not like them.
  std::vector<int> kept;
  std::vector<ColumnCombination> basis;
  for (int c = 0; c < A.cols(); ++c) {
    if (A.col(c).norm() > 0) {
      kept.push_back(c);
    } else {
      basis.push_back({{c, 1.0}});
    }
  }
  if (kept.empty()) return basis;
  SparseMatrix B(A.rows(), static_cast<Eigen::Index>(kept.size()));
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(static_cast<std::size_t>(A.nonZeros()));
  for (std::size_t c = 0; c < kept.size(); ++c)
    for (SparseMatrix::InnerIterator it(A, kept[c]); it; ++it)
      if (it.value() != 0) entries.emplace_back(it.row(), static_cast<int>(c), it.value());
  B.setFromTriplets(entries.begin(), entries.end());

  for (ColumnCombination& y :
       B.cols() <= dense_limit ? dense_null_space(B, tolerance) : sparse_null_space(B, tolerance)) {
    for (auto& [column, value] : y) column = kept[static_cast<std::size_t>(column)];
    basis.push_back(std::move(y));
  }
  return basis;
}

std::vector<ColumnCombination> reduce_dependencies(std::vector<ColumnCombination> basis) {
  std::map<int, std::vector<ColumnCombination>> ending_at;
  const auto file = [&](ColumnCombination y) {
    const double size = largest(y);
    while (!y.empty() && std::abs(y.back().second) <= weakest_pivot * size) y.pop_back();
    if (y.empty()) return;
    scale(y, 1 / size);
    ending_at[y.back().first].push_back(std::move(y));
  };
  for (ColumnCombination& y : basis) file(std::move(y));

  std::vector<ColumnCombination> pivots;
  while (!ending_at.empty()) {
    auto node = ending_at.extract(std::prev(ending_at.end()));
    const int column = node.key();
    std::vector<ColumnCombination>& group = node.mapped();
    std::iter_swap(group.begin(),
                   std::max_element(group.begin(), group.end(), [](const auto& x, const auto& y) {
                     return std::abs(x.back().second) < std::abs(y.back().second);
                   }));
    ColumnCombination& pivot = group.front();
    scale(pivot, 1 / pivot.back().second);
    for (std::size_t i = 1; i < group.size(); ++i)
      file(subtract(group[i], group[i].back().second, pivot, column));
    pivots.push_back(std::move(pivot));
  }

  // Backwards: from the earliest column on, so that what is subtracted is reduced already.
  std::reverse(pivots.begin(), pivots.end());
  std::map<int, const ColumnCombination*> reduced;
  for (ColumnCombination& y : pivots) {
    const ColumnCombination given = y;
    for (const auto& [column, value] : given)
      if (const auto found = reduced.find(column); found != reduced.end())
        y = subtract(y, value, *found->second, column);
    reduced[y.back().first] = &y;
  }
  return pivots;
}

}  // namespace taut
