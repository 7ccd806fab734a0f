#pragma once

#include "taut/base/types.hpp"

namespace taut::detail {

/// The pseudo-inverse, where singular values below round-off are none. For small matrices that
/// nothing else can solve with. Its rows and columns may have any units.
MatX pseudo_inverse(MatX matrix);

}  // namespace taut::detail
