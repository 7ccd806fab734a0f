// Four numbers at a time, for the kernels of fronts.
#pragma once

#include <algorithm>

#include "taut/solve/kkt_front.hpp"

#define TAUT_INLINE [[gnu::always_inline]] inline

namespace taut::front {

constexpr int lanes = FrontShape::lanes;
using Four [[gnu::vector_size(32), gnu::aligned(32), gnu::may_alias]] = double;
using FourUnaligned [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;
using Mask [[gnu::vector_size(32)]] = long long;

TAUT_INLINE const FourUnaligned& four(const double* at) {
  return *reinterpret_cast<const FourUnaligned*>(at);
}
TAUT_INLINE FourUnaligned& four(double* at) { return *reinterpret_cast<FourUnaligned*>(at); }

/// Where n numbers are read four at a time and none beyond them: the last four overlap those
/// before. Fewer than four are read with what is behind them.
template <int N>
struct FoursOf {
  static constexpr int count = (N + lanes - 1) / lanes;
  static constexpr int at(int v) { return N < lanes ? 0 : std::min(v * lanes, N - lanes); }
};

}  // namespace taut::front
