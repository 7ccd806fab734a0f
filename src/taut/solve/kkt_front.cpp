#include "taut/solve/kkt_front.hpp"

#include <cmath>

// The loops are compiled twice, as they are and for processors with AVX2.
#if defined(__x86_64__) && defined(__GNUC__)
#define TAUT_HAS_AVX2_KERNELS 1
#endif
#define TAUT_INLINE [[gnu::always_inline]] inline

namespace taut {
namespace {

constexpr int lanes = FrontShape::lanes;
using Four [[gnu::vector_size(32), gnu::aligned(32), gnu::may_alias]] = double;
using FourUnaligned [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;
using Mask [[gnu::vector_size(32)]] = long long;

constexpr int long_border = 24;

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
TAUT_INLINE void update_peaks(const FrontRows& rows, int from, const double* a, int stride) {
  for (const int i : rows.all)
    if (i >= from) rows.peak[i] = std::max(rows.peak[i], std::abs(a[i * (stride + 1)]));
}

TAUT_INLINE double inverse_pivot(const FrontShape& shape, const double* a, int stride, int k,
                                 const FrontRows& rows, KktPivots& summary) {
  const double pivot = a[k * (stride + 1)];
  if (k < shape.bodies) return inverse_pivot(pivot, summary);
  update_peaks(rows, k, a, stride);
  return inverse_row_pivot(pivot, k, rows, summary);
}

// NP > 0: NP pivots and a border of NB, known to the compiler.
// -------------------------------------

/// Unknowns of the body among them.
template <int NP>
constexpr int bodies_of = NP >= 6 ? 6 : 3;
/// More than two times four.
template <int NP, int NB>
constexpr bool is_long = NP > 0 && NB > 0 && NP + NB > 2 * lanes;

template <int NP, int NB>
TAUT_INLINE void eliminate(const FrontShape& shape, double* a, const FrontRows& rows,
                           KktPivots& summary) {
  const int pivots = NP > 0 ? NP : shape.pivots, n = NP > 0 ? NP + NB : shape.size;
  const int stride = FrontShape::padded(n);
  constexpr Mask beyond[lanes] = {{-1, -1, -1, -1}, {0, -1, -1, -1}, {0, 0, -1, -1}, {0, 0, 0, -1}};
#pragma GCC unroll 16
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
      Four changed = t[0] - l * first;
      if (NP > 0 && begin <= k) {
        changed[k % lanes] = l;  // in one store with its neighbours, which are wanted at once
        t[0] = changed;
      } else {
        t[0] = changed;
        target[k] = l;
      }
    }
  }
  update_peaks(rows, pivots, a, stride);
}

/// The same for few unknowns, all of which the processor keeps at hand.
template <int NP, int NB>
TAUT_INLINE void eliminate_small(double* a, const FrontRows& rows, KktPivots& summary) {
  constexpr int n = NP + NB, fours = FrontShape::padded(n) / lanes;
  constexpr Mask beyond[lanes] = {{-1, -1, -1, -1}, {0, -1, -1, -1}, {0, 0, -1, -1}, {0, 0, 0, -1}};
  Four r[n][fours];
  double peak[n] = {};
  Four* all = reinterpret_cast<Four*>(a);
#pragma GCC unroll 16
  for (int i = 0; i < n; ++i)
#pragma GCC unroll 16
    for (int v = 0; v < fours; ++v) r[i][v] = all[i * fours + v];
#pragma GCC unroll 16
  for (int k = 0; k < NP; ++k) {
    const double pivot = r[k][k / lanes][k % lanes];
    double inverse;
    if (k < bodies_of<NP>) {
      inverse = inverse_pivot(pivot, summary);
    } else {
#pragma GCC unroll 16
      for (int i = k; i < n; ++i) peak[i] = std::max(peak[i], std::abs(r[i][i / lanes][i % lanes]));
      rows.peak[k] = std::max(rows.peak[k], peak[k]);
      inverse = inverse_row_pivot(pivot, k, rows, summary);
    }
    r[k][k / lanes][k % lanes] = inverse;
    const int begin = (k + 1) / lanes;
#pragma GCC unroll 16
    for (int i = k + 1; i < n; ++i) {
      const double l = r[i][k / lanes][k % lanes] * inverse;
#pragma GCC unroll 16
      for (int v = begin; v < fours; ++v) {
        const Four u =
            v > begin
                ? r[k][v]
                : reinterpret_cast<Four>(reinterpret_cast<Mask>(r[k][v]) & beyond[(k + 1) % lanes]);
        r[i][v] -= l * u;
      }
      r[i][k / lanes][k % lanes] = l;
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < n; ++i)
#pragma GCC unroll 16
    for (int v = 0; v < fours; ++v) all[i * fours + v] = r[i][v];
  if constexpr (NB > 0)
    for (const int i : rows.all)
      if (i >= NP)
        rows.peak[i] = std::max({rows.peak[i], peak[i], std::abs(a[i * (fours * lanes + 1)])});
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
      for (int j = 0; j < width; j += lanes)
        *reinterpret_cast<FourUnaligned*>(corner + j) +=
            *reinterpret_cast<const FourUnaligned*>(from + j);
    } else {
      for (int j = 0; j < border; ++j) corner[j] += from[j];
    }
  }
}

TAUT_INLINE double sum_of(const Four& x) { return (x[0] + x[2]) + (x[1] + x[3]); }

// Both halves of a solve wait for each other's numbers from front to front. So what has just been
// computed comes last in each sum, and only what is long is read four at a time.
template <int NP, int NB>
TAUT_INLINE void forward(const FrontShape& shape, const double* a, double* own, double* all,
                         const int* border) {
  const int pivots = NP > 0 ? NP : shape.pivots, n = NP > 0 ? NP + NB : shape.size;
  const int stride = FrontShape::padded(n);
  for (int i = 1; i < pivots; ++i) {
    double sum = own[i];
    for (int k = 0; k < i; ++k) sum -= a[i * stride + k] * own[k];
    own[i] = sum;
  }
  if constexpr (is_long<NP, NB>) {
    constexpr int count = FrontShape::padded(NP) / lanes;
    Four x[count] = {};
    for (int k = 0; k < NP; ++k) x[k / lanes][k % lanes] = own[k];
    for (int i = NP; i < n; ++i) {
      const Four* l = reinterpret_cast<const Four*>(a + i * stride);
      Four sum = l[0] * x[0];
      for (int v = 1; v < count; ++v) sum += l[v] * x[v];
      all[border[i - NP]] -= sum_of(sum);
    }
  } else {
    for (int i = pivots; i < n; ++i) {
      double sum = 0;
      for (int k = 0; k < pivots; ++k) sum += a[i * stride + k] * own[k];
      all[border[i - pivots]] -= sum;
    }
  }
}

template <int NP, int NB>
TAUT_INLINE void backward(const FrontShape& shape, const double* a, double* own, const double* all,
                          const int* border) {
  const int pivots = NP > 0 ? NP : shape.pivots, n = NP > 0 ? NP + NB : shape.size;
  const int stride = FrontShape::padded(n);
  if constexpr (is_long<NP, NB>) {
    constexpr int begin = NP / lanes * lanes, count = (FrontShape::padded(NP + NB) - begin) / lanes;
    Four x[count] = {};
    for (int j = NP; j < n; ++j) x[(j - begin) / lanes][j % lanes] = all[border[j - NP]];
    for (int k = 0; k < NP; ++k) {
      const Four* u = reinterpret_cast<const Four*>(a + k * stride + begin);
      Four sum = u[0] * x[0];
      for (int v = 1; v < count; ++v) sum += u[v] * x[v];
      own[k] -= sum_of(sum);
    }
  }
  for (int k = pivots - 1; k >= 0; --k) {
    double sum = own[k];
    if constexpr (!is_long<NP, NB>)
      for (int j = n - 1; j >= pivots; --j) sum -= a[k * stride + j] * all[border[j - pivots]];
    for (int j = pivots - 1; j > k; --j) sum -= a[k * stride + j] * own[j];
    own[k] = sum * a[k * (stride + 1)];
  }
}

// Each of them for two kinds of processors.
// --------------------------------------------------------

#define TAUT_KERNELS(NAME, TARGET)                                                                \
  template <int NP, int NB>                                                                       \
  struct NAME {                                                                                   \
    TARGET static void eliminate_front(const FrontShape& shape, double* a, const FrontRows& rows, \
                                       KktPivots& summary) {                                      \
      if constexpr (NP < 0)                                                                       \
        eliminate_long(shape, a, rows, summary);                                                  \
      else if constexpr (NP > 0 && NP + NB <= 2 * lanes)                                          \
        eliminate_small<NP, NB>(a, rows, summary);                                                \
      else                                                                                        \
        eliminate<NP, NB>(shape, a, rows, summary);                                               \
    }                                                                                             \
    TARGET static void give_border(const FrontShape& shape, const double* a,                      \
                                   const FrontShape& other, int at, double* to) {                 \
      add_border<NP, NB>(shape, a, other, at, to);                                                \
    }                                                                                             \
    TARGET static void go_forward(const FrontShape& shape, const double* a, double* own,          \
                                  double* all, const int* border) {                               \
      forward<NP, NB>(shape, a, own, all, border);                                                \
    }                                                                                             \
    TARGET static void go_backward(const FrontShape& shape, const double* a, double* own,         \
                                   const double* all, const int* border) {                        \
      backward<NP, NB>(shape, a, own, all, border);                                               \
    }                                                                                             \
  };

TAUT_KERNELS(Plain, )
#ifdef TAUT_HAS_AVX2_KERNELS
TAUT_KERNELS(Wide, [[gnu::target("avx2")]])
#endif
#undef TAUT_KERNELS

template <class K>
constexpr FrontKernels kernels{&K::give_border, &K::eliminate_front, &K::go_forward,
                               &K::go_backward};

/// Particles joined by one row, rigid bodies by three or five, or stacked; any; −1: with a long
/// border. The numbers: of the body, pivots, border.
template <template <int, int> class Kind>
const FrontKernels& chosen(const FrontShape& shape) {
  const int border = shape.size - shape.pivots;
  if (border >= long_border) return kernels<Kind<-1, 0>>;
  switch (shape.bodies * 10'000 + shape.pivots * 100 + border) {
    case 3'04'00:
      return kernels<Kind<4, 0>>;
    case 3'04'04:
      return kernels<Kind<4, 4>>;
    case 3'04'03:
      return kernels<Kind<4, 3>>;
    case 6'06'06:
      return kernels<Kind<6, 6>>;
    case 6'09'06:
      return kernels<Kind<9, 6>>;
    case 6'11'06:
      return kernels<Kind<11, 6>>;
    default:
      return kernels<Kind<0, 0>>;
  }
}

}  // namespace

const FrontKernels& front_kernels(const FrontShape& shape) {
#ifdef TAUT_HAS_AVX2_KERNELS
  static const bool is_wide = __builtin_cpu_supports("avx2");
  if (is_wide) return chosen<Wide>(shape);
#endif
  return chosen<Plain>(shape);
}

}  // namespace taut
