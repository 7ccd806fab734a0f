// The size of a vector by its largest number.
#pragma once

#include "taut/base/types.hpp"

namespace taut {

/// max |x_i|; 0 for a vector of no numbers.
double largest(const VecX& values);

}  // namespace taut
