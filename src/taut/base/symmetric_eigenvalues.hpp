// The eigenvalues and eigenvectors of symmetric matrices of moderate size.
#pragma once

#include "taut/base/types.hpp"

namespace taut {

/// A = V diag(λ) Vᵀ, in place: `matrix` ends with λ on its diagonal, in no order, and next to zero
/// beside it. Both are stored by columns; the caller passes the unit matrix as `vectors`, or nothing
/// if V is not wanted. Nothing is allocated.
void diagonalize(double* matrix, double* vectors, int size);

/// In ascending order. Of the matrix only the lower half is read.
VecX symmetric_eigenvalues(MatX matrix);

}  // namespace taut
