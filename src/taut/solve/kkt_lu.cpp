#include "taut/solve/kkt_lu.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "taut/base/error.hpp"

namespace taut {
namespace {

constexpr int long_border = 24;

/// The inverse of a pivot, and what it says of the matrix. `peak` is the largest value it had on
/// the way: it is the difference of numbers of that size. A row that is nothing but round-off gets
/// a harmless pivot, so that the sizes of the others can still be seen.
double inverse_pivot(double pivot, double peak, bool is_row, KktLu::Pivots& summary) {
  if (!is_row) {
    if (!(pivot > 0)) summary.definite = false;
    return 1 / pivot;
  }
  const double size = std::abs(pivot), relative = peak > 0 ? size / peak : 0;
  summary.smallest_row = std::min(summary.smallest_row, relative);
  summary.largest_row = std::max(summary.largest_row, peak);
  if (relative < KktLu::singular_pivot) return peak > 0 ? -1 / peak : -1;
  return 1 / pivot;
}

/// What is known of the rows among the pivots of a front, per pivot.
struct RowPivots {
  double* relative;  // |pivot| / peak
  char* out;         // left out
  double dependent;  // those below are left out, too
};

/// The same for a row that may be left out: an inverse of 0 makes its column of L zero, and its
/// multiplier.
double inverse_row_pivot(double pivot, double peak, int k, const RowPivots& rows,
                         KktLu::Pivots& summary) {
  const double relative = peak > 0 ? std::abs(pivot) / peak : 0;
  rows.relative[k] = relative;
  if (relative < rows.dependent) rows.out[k] = 1;
  return rows.out[k] ? 0 : inverse_pivot(pivot, peak, true, summary);
}

/// Eliminates the first `pivots` of n unknowns of a dense matrix, by rows. Inverse pivots replace
/// the diagonal. `rows` are the unknowns that are rows of constraints, `peak` per unknown.
/// NP > 0: NP pivots and a border of NB, known to the compiler.
template <int NP, int NB>
void eliminate(double* a, int bodies, int runtime_pivots, int runtime_size,
               std::span<const int> rows, double* peak, const RowPivots& row_pivots,
               KktLu::Pivots& summary) {
  const int pivots = NP > 0 ? NP : runtime_pivots;
  const int n = NP > 0 ? NP + NB : runtime_size;
  for (int k = 0; k < pivots; ++k) {
    const double* row = a + k * n;
    const double inverse = k < bodies ? inverse_pivot(row[k], peak[k], false, summary)
                                      : inverse_row_pivot(row[k], peak[k], k, row_pivots, summary);
    a[k * n + k] = inverse;
    for (int i = k + 1; i < n; ++i) {
      double* target = a + i * n;
      const double l = target[k] * inverse;
      target[k] = l;
      for (int j = k + 1; j < n; ++j) target[j] -= l * row[j];
    }
    for (const int i : rows) peak[i] = std::max(peak[i], std::abs(a[i * n + i]));
  }
}

/// target −= Σ factors[k]·row k of a: three rows at a time, so that what is long is read less
/// often.
void subtract_rows(double* target, const double* a, int n, int begin, const double* factors,
                   int count) {
  int k = 0;
  for (; k + 3 <= count; k += 3) {
    const double f0 = factors[k], f1 = factors[k + 1], f2 = factors[k + 2];
    const double *r0 = a + k * n, *r1 = r0 + n, *r2 = r1 + n;
#pragma GCC ivdep
    for (int j = begin; j < n; ++j) target[j] = target[j] - f0 * r0[j] - f1 * r1[j] - f2 * r2[j];
  }
  for (; k < count; ++k)
    for (int j = begin; j < n; ++j) target[j] -= factors[k] * a[k * n + j];
}

/// The same with a long border: each row of it is done with at once. To the last bit as above.
void eliminate_long(double* a, int bodies, int pivots, int n, std::span<const int> rows,
                    double* peak, const RowPivots& row_pivots, KktLu::Pivots& summary) {
  const auto within =
      static_cast<std::size_t>(std::lower_bound(rows.begin(), rows.end(), pivots) - rows.begin());
  for (int k = 0; k < pivots; ++k) {
    const double* row = a + k * n;
    const double inverse = k < bodies ? inverse_pivot(row[k], peak[k], false, summary)
                                      : inverse_row_pivot(row[k], peak[k], k, row_pivots, summary);
    a[k * n + k] = inverse;
    for (int i = k + 1; i < pivots; ++i) {
      double* target = a + i * n;
      const double l = target[k] * inverse;
      target[k] = l;
      for (int j = k + 1; j < n; ++j) target[j] -= l * row[j];
    }
    for (const int i : rows.first(within)) peak[i] = std::max(peak[i], std::abs(a[i * n + i]));
  }
  for (int i = pivots; i < n; ++i) {
    double* target = a + i * n;
    for (int k = 0; k < pivots; ++k) {
      target[k] *= a[k * n + k];
      for (int j = k + 1; j < pivots; ++j) target[j] -= target[k] * a[k * n + j];
    }
  }
  for (const int i : rows.subspan(within)) {
    const double* of_row = a + i * n;
    double diagonal = of_row[i];
    for (int k = 0; k < pivots; ++k) {
      diagonal -= of_row[k] * a[k * n + i];
      peak[i] = std::max(peak[i], std::abs(diagonal));
    }
  }
  for (int i = pivots; i < n; ++i) subtract_rows(a + i * n, a, n, pivots, a + i * n, pivots);
}

/// The same for a body of N unknowns with one row (a link of a chain), unrolled: the only row's
/// pivot is no difference.
template <int N, int Border>
void eliminate_link(double* a, KktLu::Pivots& summary) {
  constexpr int pivots = N + 1, n = pivots + Border;
#pragma GCC unroll 16
  for (int k = 0; k < pivots; ++k) {
    const double pivot = a[k * n + k];
    const double inverse = inverse_pivot(pivot, std::abs(pivot), k == N, summary);
    a[k * n + k] = inverse;
    double row[n];
#pragma GCC unroll 16
    for (int j = k + 1; j < n; ++j) row[j] = a[k * n + j];
#pragma GCC unroll 16
    for (int i = k + 1; i < n; ++i) {
      const double l = a[i * n + k] * inverse;
      a[i * n + k] = l;
#pragma GCC unroll 16
      for (int j = k + 1; j < n; ++j) a[i * n + j] -= l * row[j];
    }
  }
}

}  // namespace

int KktLu::index_in(int front, int node) const {
  const auto begin = nodes_.begin() + fronts_[front].nodes;
  const auto end = begin + fronts_[front].node_count;
  const auto found = std::find(begin, end, node);
  TAUT_CHECK(found != end);
  return index_[found - nodes_.begin()];
}

KktLu::Block KktLu::between(int row_node, int column_node) const {
  const int front = std::min(front_of_[row_node], front_of_[column_node]);
  const int size = fronts_[front].size;
  return {front, index_in(front, row_node) * size + index_in(front, column_node), size};
}

KktLu::Block KktLu::bodies(int first, int second) const { return between(first, second); }

KktLu::Block KktLu::rows(int group, int k) const {
  return between(bodies_ + group, group_bodies_[first_in_group_[group] + k]);
}

KktLu::Block KktLu::columns(int group, int k) const {
  return between(group_bodies_[first_in_group_[group] + k], bodies_ + group);
}

namespace {

/// own ← L⁻¹ own, and what that takes off the border's unknowns.
template <int NP, int NB>
void forward(const double* a, int runtime_pivots, int runtime_size, double* own, double* all,
             const int* border) {
  const int pivots = NP > 0 ? NP : runtime_pivots;
  const int n = NP > 0 ? NP + NB : runtime_size;
  for (int i = 1; i < pivots; ++i) {
    double sum = own[i];
    for (int k = 0; k < i; ++k) sum -= a[i * n + k] * own[k];
    own[i] = sum;
  }
  for (int i = pivots; i < n; ++i) {
    double sum = 0;
    for (int k = 0; k < pivots; ++k) sum += a[i * n + k] * own[k];
    all[border[i - pivots]] -= sum;
  }
}

/// own ← U⁻¹ own, where the border's unknowns are known.
template <int NP, int NB>
void backward(const double* a, int runtime_pivots, int runtime_size, double* own, const double* all,
              const int* border) {
  const int pivots = NP > 0 ? NP : runtime_pivots;
  const int n = NP > 0 ? NP + NB : runtime_size;
  for (int k = pivots - 1; k >= 0; --k) {
    double sum = own[k];
    for (int j = pivots; j < n; ++j) sum -= a[k * n + j] * all[border[j - pivots]];
    for (int j = k + 1; j < pivots; ++j) sum -= a[k * n + j] * own[j];
    own[k] = sum * a[k * n + k];
  }
}

/// Calls with<NP, NB>() for the sizes that occur in chains and mechanisms, which the compiler then
/// knows: particles joined by one row, rigid bodies by three or five, or stacked. Else
/// with<0, 0>().
template <class With>
void dispatch(int pivots, int border, With&& with) {
  if (border >= 100) return with.template operator()<0, 0>();
  switch (pivots * 100 + border) {
    case 400:
      return with.template operator()<4, 0>();
    case 403:
      return with.template operator()<4, 3>();
    case 404:
      return with.template operator()<4, 4>();
    case 600:
      return with.template operator()<6, 0>();
    case 606:
      return with.template operator()<6, 6>();
    case 906:
      return with.template operator()<9, 6>();
    case 1106:
      return with.template operator()<11, 6>();
    default:
      return with.template operator()<0, 0>();
  }
}

}  // namespace

// Rows that are eliminated in a later front bring the sizes they had in this one.
void KktLu::eliminate_front(const Front& front, double* a, double dependent, Part& part) {
  const int n = front.size;
  double* peak = part.peak.data();
  const std::span<const int> rows(rows_.data() + front.rows, front.row_count);
  const auto order = [&](int i) {
    return i < front.pivots ? front.first + i : border_[front.border + i - front.pivots];
  };
  for (const int i : rows) peak[i] = std::max(row_peak_[order(i)], std::abs(a[i * n + i]));
  const RowPivots row_pivots{relative_pivot_.data() + front.first, out_.data() + front.first,
                             dependent};
  if (n - front.pivots >= long_border) {
    eliminate_long(a, front.bodies, front.pivots, n, rows, peak, row_pivots, part.pivots);
  } else {
    dispatch(front.pivots, n - front.pivots, [&]<int NP, int NB>() {
      eliminate<NP, NB>(a, front.bodies, front.pivots, n, rows, peak, row_pivots, part.pivots);
    });
  }
  for (const int i : rows) row_peak_[order(i)] = peak[i];
}

void KktLu::take_from_below(const Front& front, double* a) const {
  for (int c = 0; c < front.child_count; ++c) {
    const Front& child = fronts_[children_[front.children + c]];
    const int n = child.size, border = n - child.pivots;
    const double* left = values_.data() + child.offset + child.pivots * (n + 1);
    const int* to = relative_.data() + child.relative;
    if (child.is_link && front.is_link) {  // along a chain
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) a[7 * i + j] += left[7 * i + j];
      continue;
    }
    if (child.contiguous) {  // as in every tree: the border is one body
      double* corner = a + to[0] * (front.size + 1);
      for (int i = 0; i < border; ++i)
        for (int j = 0; j < border; ++j) corner[i * front.size + j] += left[i * n + j];
      continue;
    }
    for (int i = 0; i < border; ++i)
      for (int j = 0; j < border; ++j) a[to[i] * front.size + to[j]] += left[i * n + j];
  }
}

template <class Work>
void KktLu::in_parts(const Work& work) {
  if (!crew_) {
    work(parts_[0]);
    return;
  }
  crew_->run([&](int i) { work(parts_[static_cast<std::size_t>(i)]); });
}

void KktLu::factor(const Filler& filler, double shift, double dependent, Part& part) {
  part.pivots = {};
  for (int f = part.begin; f < part.end; ++f) {
    const Front& front = fronts_[f];
    const int n = front.size;
    double* a = values_.data() + front.offset;
    std::fill(a, a + n * n, 0.0);
    filler.fill(f, a);
    take_from_below(front, a);
    if (shift != 0)
      for (int i = front.bodies; i < front.pivots; ++i) a[i * n + i] -= shift;
    if (front.is_link && !out_[front.first + 3]) {
      eliminate_link<3, 3>(a, part.pivots);
    } else {
      eliminate_front(front, a, dependent, part);
    }
  }
}

KktLu::Pivots KktLu::factor(const Filler& filler, double shift) { return factor(filler, shift, 0); }

// The row of a link is the first that acts on its body: it depends on nothing before it.
KktLu::Pivots KktLu::factor_and_leave_out(const Filler& filler, double dependent) {
  return factor(filler, 0, dependent);
}

KktLu::Pivots KktLu::factor(const Filler& filler, double shift, double dependent) {
  std::fill(row_peak_.begin(), row_peak_.end(), 0.0);
  in_parts([&](Part& part) { factor(filler, shift, dependent, part); });
  Pivots all;
  for (const Part& part : parts_) {
    all.definite = all.definite && part.pivots.definite;
    all.smallest_row = std::min(all.smallest_row, part.pivots.smallest_row);
    all.largest_row = std::max(all.largest_row, part.pivots.largest_row);
  }
  return all;
}

void KktLu::solve(double* x, double* y) {
  double* w = ordered_.data();
  const int rows = static_cast<int>(to_order_.size()) - velocities_;
  for (int i = 0; i < velocities_; ++i) w[to_order_[i]] = x[i];
  for (int i = 0; i < rows; ++i) w[to_order_[velocities_ + i]] = y[i];
  in_parts([&](Part& part) {
    for (int f = part.begin; f < part.end; ++f) {
      const Front& front = fronts_[f];
      dispatch(front.pivots, front.size - front.pivots, [&]<int NP, int NB>() {
        forward<NP, NB>(values_.data() + front.offset, front.pivots, front.size, w + front.first, w,
                        border_.data() + front.border);
      });
    }
    for (int f = part.end - 1; f >= part.begin; --f) {
      const Front& front = fronts_[f];
      dispatch(front.pivots, front.size - front.pivots, [&]<int NP, int NB>() {
        backward<NP, NB>(values_.data() + front.offset, front.pivots, front.size, w + front.first,
                         w, border_.data() + front.border);
      });
    }
  });
  for (int i = 0; i < velocities_; ++i) x[i] = w[to_order_[i]];
  for (int i = 0; i < rows; ++i) y[i] = w[to_order_[velocities_ + i]];
}

}  // namespace taut
