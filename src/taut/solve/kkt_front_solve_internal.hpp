// What one front does in the solves, and what it gives to the front above it: kernels for
// kkt_front.cpp.
//
// From front to front, solves wait for each other's numbers. So of sizes known to the compiler two
// products are kept, in place of U and L of the border (prepare_solves):
//
//   where L was, by columns:  S = U⁻¹ U_border,   own unknowns −= S · those of the border
//   where U was, by columns:  T = L_border L⁻¹,   border −= T · own right-hand side
//
// What a front waits for is then multiplied once, and solving with its own L and U holds up nobody.
#pragma once

#include "taut/solve/kkt_front_lanes_internal.hpp"

namespace taut::front {

template <int NP, int NB>
TAUT_INLINE void add_border(const FrontShape& shape, const double* a, const FrontShape& other,
                            int at, double* to) {
  const int pivots = NP > 0 ? NP : shape.pivots, border = NP > 0 ? NB : shape.size - shape.pivots;
  const int stride = FrontShape::padded(pivots + border), to_stride = other.stride();
  const int width = FrontShape::padded(border);
  const double* from = a + pivots * (stride + 1);
  double* corner = to + at * (to_stride + 1);
  const bool has_zeros_behind = pivots + width <= stride && at + width <= to_stride;
  for (int i = 0; i < border; ++i, from += stride, corner += to_stride) {
    if (has_zeros_behind) {
      for (int j = 0; j < width; j += lanes) four(corner + j) += four(from + j);
    } else {
      for (int j = 0; j < border; ++j) corner[j] += from[j];
    }
  }
}

TAUT_INLINE void forward(const FrontShape& shape, const double* a, double* own, double* all,
                         const int* border) {
  const int pivots = shape.pivots, n = shape.size, stride = shape.stride();
  for (int i = 1; i < pivots; ++i) {
    double sum = own[i];
    for (int k = 0; k < i; ++k) sum -= a[i * stride + k] * own[k];
    own[i] = sum;
  }
  for (int i = pivots; i < n; ++i) {
    double sum = 0;
    for (int k = 0; k < pivots; ++k) sum += a[i * stride + k] * own[k];
    all[border[i - pivots]] -= sum;
  }
}

TAUT_INLINE void backward(const FrontShape& shape, const double* a, double* own, const double* all,
                          const int* border) {
  const int pivots = shape.pivots, n = shape.size, stride = shape.stride();
  for (int k = pivots - 1; k >= 0; --k) {
    double sum = own[k];
    for (int j = n - 1; j >= pivots; --j) sum -= a[k * stride + j] * all[border[j - pivots]];
    for (int j = pivots - 1; j > k; --j) sum -= a[k * stride + j] * own[j];
    own[k] = sum * a[k * (stride + 1)];
  }
}

/// own ← (L U)⁻¹ own, and what own takes off the border.
template <int NP, int NB>
TAUT_INLINE void forward(const double* a, double* own, double* all, const int* border) {
  constexpr int stride = FrontShape::padded(NP + NB);
  if constexpr (NB > 0) {
    using Border = FoursOf<NB>;
    Four sum[2][Border::count] = {};
    // The numbers of the body come last: fronts below change them.
#pragma GCC unroll 16
    for (int k = NP - 1; k >= 0; --k)
#pragma GCC unroll 4
      for (int v = 0; v < Border::count; ++v)
        sum[k % 2][v] += own[k] * four(a + k * stride + NP + Border::at(v));
#pragma GCC unroll 4
    for (int v = 0; v < Border::count; ++v) sum[0][v] += sum[1][v];
    if (NB >= lanes && border[NB - 1] - border[0] == NB - 1) {  // side by side
      double* first = all + border[0];
#pragma GCC unroll 4
      for (int v = 0; v < Border::count; ++v) sum[0][v] = four(first + Border::at(v)) - sum[0][v];
#pragma GCC unroll 4
      for (int v = 0; v < Border::count; ++v) four(first + Border::at(v)) = sum[0][v];
    } else {
#pragma GCC unroll 16
      for (int j = 0; j < NB; ++j) all[border[j]] -= sum[0][j / lanes][j - Border::at(j / lanes)];
    }
  }
  double x[NP];  // where nothing that is written can change what was read
  for (int k = 0; k < NP; ++k) x[k] = own[k];
#pragma GCC unroll 16
  for (int i = 1; i < NP; ++i)
#pragma GCC unroll 16
    for (int k = 0; k < i; ++k) x[i] -= a[i * stride + k] * x[k];
#pragma GCC unroll 16
  for (int k = NP - 1; k >= 0; --k) {
#pragma GCC unroll 16
    for (int j = NP - 1; j > k; --j) x[k] -= a[k * stride + j] * x[j];
    x[k] *= a[k * (stride + 1)];
  }
  for (int k = 0; k < NP; ++k) own[k] = x[k];
}

template <int NP, int NB>
TAUT_INLINE void backward(const double* a, double* own, const double* all, const int* border) {
  constexpr int stride = FrontShape::padded(NP + NB);
  using Own = FoursOf<NP>;
  if constexpr (NB > 0) {
    Four sum[2][Own::count] = {};
#pragma GCC unroll 16
    for (int j = 0; j < NB; ++j) {
      const double known = all[border[j]];
#pragma GCC unroll 4
      for (int v = 0; v < Own::count; ++v)
        sum[j % 2][v] += known * four(a + (NP + j) * stride + Own::at(v));
    }
#pragma GCC unroll 4
    for (int v = 0; v < Own::count; ++v)
      sum[0][v] = four(own + Own::at(v)) - (sum[0][v] + sum[1][v]);
#pragma GCC unroll 4
    for (int v = 0; v < Own::count; ++v) four(own + Own::at(v)) = sum[0][v];
  }
}

}  // namespace taut::front
