// Matrices, and what Eigen's decompositions say of them. Those take long to compile, so they are in
// matrices.cpp.
#pragma once

#include "taut/base/types.hpp"
#include "taut/solve/sparse_symmetric.hpp"

namespace taut::testing {

/// The lower half of a dense symmetric matrix; entries that are exactly zero are left out.
SparseSymmetric sparse(const MatX& dense);

double smallest_eigenvalue(const MatX& symmetric);
/// ω² and the shapes, in its columns, of K x = ω² M x.
struct Modes {
  VecX values;
  MatX shapes;
};
Modes generalized_modes(const MatX& K, const MatX& M);
int rank(const MatX& matrix, double threshold);
/// A⁺ b: of all least-squares solutions the smallest.
VecX least_squares(const MatX& A, const VecX& b);

}  // namespace taut::testing
