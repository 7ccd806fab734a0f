// The elimination of one front: kernels for kkt_front.cpp.
#pragma once

#include <cmath>

#include "taut/solve/kkt_front_lanes_internal.hpp"

namespace taut::front {

/// The inverse of a body's pivot, which is positive.
TAUT_INLINE double inverse_pivot(double pivot, KktPivots& summary) {
  if (!(pivot > 0)) summary.definite = false;
  return 1 / pivot;
}

/// The inverse of a row's pivot, and what it says of the matrix: it is the difference of numbers as
/// large as its peak. A row that is nothing but round-off gets a harmless pivot, so that the sizes
/// of the others can still be seen; 0 for a row that is left out makes its column of L zero, and
/// its multiplier.
TAUT_INLINE double inverse_row_pivot(double pivot, int k, const FrontRows& rows,
                                     KktPivots& summary) {
  const double peak = rows.peak[k], relative = peak > 0 ? std::abs(pivot) / peak : 0;
  rows.relative[k] = relative;
  if (relative < rows.dependent) rows.out[k] = 1;
  if (rows.out[k]) return 0;
  summary.smallest_row = std::min(summary.smallest_row, relative);
  summary.largest_row = std::max(summary.largest_row, peak);
  if (relative < KktPivots::singular) return peak > 0 ? -1 / peak : -1;
  return 1 / pivot;
}

/// Peaks of rows that are still to be eliminated. (While a body is eliminated, a row's pivot only
/// grows: what is taken off it is positive.)
TAUT_INLINE void update_peaks(std::span<const int> of, double* peak, const double* a, int stride) {
  for (const int i : of) peak[i] = std::max(peak[i], std::abs(a[i * (stride + 1)]));
}

TAUT_INLINE double inverse_pivot(const FrontShape& shape, const double* a, int stride, int k,
                                 const FrontRows& rows, KktPivots& summary) {
  const double pivot = a[k * (stride + 1)];
  if (k < shape.bodies) return inverse_pivot(pivot, summary);
  update_peaks(rows.all.subspan(static_cast<std::size_t>(k - shape.bodies)), rows.peak, a, stride);
  return inverse_row_pivot(pivot, k, rows, summary);
}

TAUT_INLINE void eliminate(const FrontShape& shape, double* a, const FrontRows& rows,
                           KktPivots& summary) {
  const int pivots = shape.pivots, n = shape.size, stride = shape.stride();
  constexpr Mask beyond[lanes] = {{-1, -1, -1, -1}, {0, -1, -1, -1}, {0, 0, -1, -1}, {0, 0, 0, -1}};
  for (int k = 0; k < pivots; ++k) {
    const double inverse = inverse_pivot(shape, a, stride, k, rows, summary);
    a[k * (stride + 1)] = inverse;
    if (k + 1 == n) break;
    // Row k of U beyond the pivot, without what is beside it in the first four.
    const int begin = (k + 1) / lanes * lanes, count = (stride - begin) / lanes;
    const Four* u = reinterpret_cast<const Four*>(a + k * stride + begin);
    const Four first =
        reinterpret_cast<Four>(reinterpret_cast<Mask>(u[0]) & beyond[(k + 1) % lanes]);
    for (int i = k + 1; i < n; ++i) {
      double* target = a + i * stride;
      Four* t = reinterpret_cast<Four*>(target + begin);
      const double l = target[k] * inverse;
      for (int v = 1; v < count; ++v) t[v] -= l * u[v];
      t[0] -= l * first;
      target[k] = l;
    }
  }
  update_peaks(rows.all.subspan(static_cast<std::size_t>(pivots - shape.bodies)), rows.peak, a,
               stride);
}

// NP pivots, those of a body and then rows, and a border of NB, known to the compiler.
// ------------------------

template <int NP>
constexpr int bodies_of = NP >= 6 ? 6 : 3;

/// What solves are done with, in place of L and U of the border (kkt_front_solve_internal.hpp).
template <int NP, int NB>
TAUT_INLINE void prepare_solves(double* a, const double* L, const double* inverse) {
  constexpr int stride = FrontShape::padded(NP + NB);
  using Border = FoursOf<NB>;
  Four from_border[NP][Border::count], to_border[NP][Border::count];
#pragma GCC unroll 16
  for (int k = NP - 1; k >= 0; --k)
#pragma GCC unroll 4
    for (int v = 0; v < Border::count; ++v) {
      const int at = k * stride + NP + Border::at(v);
      Four s = four(a + at), t = four(L + at);
#pragma GCC unroll 16
      for (int m = k + 1; m < NP; ++m) {
        s -= a[k * stride + m] * from_border[m][v];
        t -= L[k * stride + m] * to_border[m][v];
      }
      from_border[k][v] = inverse[k] * s;
      to_border[k][v] = t;
    }
#pragma GCC unroll 16
  for (int k = 0; k < NP; ++k)
#pragma GCC unroll 4
    for (int v = 0; v < Border::count; ++v) {
      four(a + k * stride + NP + Border::at(v)) = to_border[k][v];
      for (int j = 0; j < std::min(lanes, NB); ++j)
        a[(NP + Border::at(v) + j) * stride + k] = from_border[k][v][j];
    }
}

/// L is kept apart, by columns, until all is done. So rows are changed as a whole, and no number is
/// written alone that is soon read with its neighbours, which the processor would wait for.
template <int NP, int NB>
TAUT_INLINE void eliminate(double* a, const FrontRows& rows, KktPivots& summary) {
  constexpr int n = NP + NB, stride = FrontShape::padded(n), fours = stride / lanes;
  constexpr int bodies = bodies_of<NP>;
  static_assert(NB == 0 || NB >= lanes || NP + lanes <= stride);  // which are padded with zeros
  KktPivots seen = summary;  // not where the compiler must expect that `a` is
  double L[NP * stride], inverse[NP], peak[NP];
  const std::span<const int> in_border = rows.all.subspan(NP - bodies);
  for (int k = bodies; k < NP; ++k) peak[k] = rows.peak[k];
#pragma GCC unroll 16
  for (int k = 0; k < NP; ++k) {
    const double* row = a + k * stride;
    if (k < bodies) {
      inverse[k] = inverse_pivot(row[k], seen);
    } else {
#pragma GCC unroll 16
      for (int i = k; i < NP; ++i) peak[i] = std::max(peak[i], std::abs(a[i * (stride + 1)]));
      update_peaks(in_border, rows.peak, a, stride);
      rows.peak[k] = peak[k];
      inverse[k] = inverse_row_pivot(row[k], k, rows, seen);
    }
    Four u[fours];
#pragma GCC unroll 8
    for (int v = (k + 1) / lanes; v < fours; ++v) u[v] = four(row + v * lanes);
    for (int i = k + 1; i < n; ++i) {
      double* target = a + i * stride;
      const double l = L[k * stride + i] = target[k] * inverse[k];
#pragma GCC unroll 8
      for (int v = (k + 1) / lanes; v < fours; ++v) four(target + v * lanes) -= l * u[v];
    }
    for (int i = n; i < stride; ++i) L[k * stride + i] = 0;
  }
  update_peaks(in_border, rows.peak, a, stride);
  if constexpr (NB > 0) prepare_solves<NP, NB>(a, L, inverse);
#pragma GCC unroll 16
  for (int k = 0; k < NP; ++k) {
    a[k * (stride + 1)] = inverse[k];
    for (int i = k + 1; i < NP; ++i) a[i * stride + k] = L[k * stride + i];
  }
  summary = seen;
}

/// target −= Σ factors[k]·row k of a: three rows at a time, so that what is long is read less
/// often.
TAUT_INLINE void subtract_rows(double* target, const double* a, int stride, int begin,
                               const double* factors, int count) {
  int k = 0;
  for (; k + 3 <= count; k += 3) {
    const double f0 = factors[k], f1 = factors[k + 1], f2 = factors[k + 2];
    const double *r0 = a + k * stride, *r1 = r0 + stride, *r2 = r1 + stride;
#pragma GCC ivdep
    for (int j = begin; j < stride; ++j)
      target[j] = target[j] - f0 * r0[j] - f1 * r1[j] - f2 * r2[j];
  }
  for (; k < count; ++k)
    for (int j = begin; j < stride; ++j) target[j] -= factors[k] * a[k * stride + j];
}

/// The same with a long border: each row of it is done with at once. To the last bit as above.
TAUT_INLINE void eliminate_long(const FrontShape& shape, double* a, const FrontRows& rows,
                                KktPivots& summary) {
  const int pivots = shape.pivots, n = shape.size, stride = shape.stride();
  const std::size_t within = static_cast<std::size_t>(
      std::lower_bound(rows.all.begin(), rows.all.end(), pivots) - rows.all.begin());
  FrontRows inner = rows;
  inner.all = rows.all.first(within);
  for (int k = 0; k < pivots; ++k) {
    const double* row = a + k * stride;
    const double inverse = inverse_pivot(shape, a, stride, k, inner, summary);
    a[k * (stride + 1)] = inverse;
    for (int i = k + 1; i < pivots; ++i) {
      double* target = a + i * stride;
      const double l = target[k] * inverse;
      target[k] = l;
      for (int j = k + 1; j < n; ++j) target[j] -= l * row[j];
    }
  }
  for (int i = pivots; i < n; ++i) {
    double* target = a + i * stride;
    for (int k = 0; k < pivots; ++k) {
      target[k] *= a[k * (stride + 1)];
      for (int j = k + 1; j < pivots; ++j) target[j] -= target[k] * a[k * stride + j];
    }
  }
  for (const int i : rows.all.subspan(within)) {
    const double* of_row = a + i * stride;
    double diagonal = of_row[i];
    for (int k = 0; k < pivots; ++k) {
      diagonal -= of_row[k] * a[k * stride + i];
      rows.peak[i] = std::max(rows.peak[i], std::abs(diagonal));
    }
  }
  for (int i = pivots; i < n; ++i)
    subtract_rows(a + i * stride, a, stride, pivots, a + i * stride, pivots);
}

}  // namespace taut::front
