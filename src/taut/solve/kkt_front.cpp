#include "taut/solve/kkt_front.hpp"

#include "taut/solve/kkt_front_eliminate_internal.hpp"
#include "taut/solve/kkt_front_solve_internal.hpp"

// The loops are compiled twice, as they are and for processors with AVX2.
#if defined(__x86_64__) && defined(__GNUC__)
#define TAUT_HAS_AVX2_KERNELS 1
#endif

namespace taut {
namespace {

constexpr int long_border = 24;

/// What does not know its size.
constexpr int any = 0, with_long_border = -1;

#define TAUT_KERNELS(NAME, TARGET)                                                                \
  template <int NP, int NB>                                                                       \
  struct NAME {                                                                                   \
    TARGET static void eliminate_front(const FrontShape& shape, double* a, const FrontRows& rows, \
                                       KktPivots& summary) {                                      \
      if constexpr (NP == with_long_border)                                                       \
        front::eliminate_long(shape, a, rows, summary);                                           \
      else if constexpr (NP == any)                                                               \
        front::eliminate(shape, a, rows, summary);                                                \
      else                                                                                        \
        front::eliminate<NP, NB>(a, rows, summary);                                               \
    }                                                                                             \
    TARGET static void give_border(const FrontShape& shape, const double* a,                      \
                                   const FrontShape& other, int at, double* to) {                 \
      front::add_border<NP, NB>(shape, a, other, at, to);                                         \
    }                                                                                             \
    TARGET static void go_forward(const FrontShape& shape, const double* a, double* own,          \
                                  double* all, const int* border) {                               \
      if constexpr (NP > 0)                                                                       \
        front::forward<NP, NB>(a, own, all, border);                                              \
      else                                                                                        \
        front::forward(shape, a, own, all, border);                                               \
    }                                                                                             \
    TARGET static void go_backward(const FrontShape& shape, const double* a, double* own,         \
                                   const double* all, const int* border) {                        \
      if constexpr (NP > 0)                                                                       \
        front::backward<NP, NB>(a, own, all, border);                                             \
      else                                                                                        \
        front::backward(shape, a, own, all, border);                                              \
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

/// Particles joined by one row, rigid bodies by three or five, or stacked; any. The numbers: of the
/// body, pivots, border.
template <template <int, int> class Kind>
const FrontKernels& chosen(const FrontShape& shape) {
  const int border = shape.size - shape.pivots;
  if (border >= long_border) return kernels<Kind<with_long_border, 0>>;
  switch (shape.bodies * 10'000 + shape.pivots * 100 + border) {
    case 3'04'00:
      return kernels<Kind<4, 0>>;
    case 3'04'04:
      return kernels<Kind<4, 4>>;
    case 3'04'03:
      return kernels<Kind<4, 3>>;
    case 6'09'00:
      return kernels<Kind<9, 0>>;
    case 6'11'00:
      return kernels<Kind<11, 0>>;
    case 6'06'06:
      return kernels<Kind<6, 6>>;
    case 6'09'06:
      return kernels<Kind<9, 6>>;
    case 6'11'06:
      return kernels<Kind<11, 6>>;
    default:
      return kernels<Kind<any, 0>>;
  }
}

}  // namespace

const FrontKernels& front_kernels(const FrontShape& shape, bool may_be_wide) {
#ifdef TAUT_HAS_AVX2_KERNELS
  static const bool is_wide = __builtin_cpu_supports("avx2");
  if (is_wide && may_be_wide) return chosen<Wide>(shape);
#endif
  return chosen<Plain>(shape);
}

}  // namespace taut
