// The eigenvalues of symmetric matrices of moderate size.
#pragma once

#include "taut/base/types.hpp"

namespace taut {

/// In ascending order. Of the matrix only the lower half is read.
VecX symmetric_eigenvalues(MatX matrix);

}  // namespace taut
