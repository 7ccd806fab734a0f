// Small dense systems, solved in place with plain loops: as quick as Eigen's decompositions at
// these sizes, and much quicker to compile.
#pragma once

namespace taut {

/// A x = b by Cholesky's method. `matrix` is A, symmetric, of which the lower half is read (by
/// columns) and overwritten; x holds b before and the solution after: `count` of them, one behind
/// the other. False, with x undefined, where A is not positive definite.
bool solve_positive_definite(double* matrix, int size, double* x, int count = 1);

/// A x = b by elimination with the largest pivot of each column. `matrix` is A, by columns, and is
/// overwritten. False, with x undefined, where A is singular.
bool solve_square(double* matrix, int size, double* x);

}  // namespace taut
