// A = J W Jᵀ, assembled by a plan that is made once per pattern: each entry is a sum of dot
// products of blocks, listed in advance.
#pragma once

#include <cstdint>
#include <vector>

#include "taut/base/types.hpp"
#include "taut/model/rows.hpp"
#include "taut/solve/sparse_symmetric.hpp"

namespace taut {

class NormalMatrix {
 public:
  NormalMatrix() = default;
  /// `rows`: which of them are in it, in ascending order; none given: all.
  explicit NormalMatrix(const RowPattern& pattern, const std::vector<int>& rows = {});

  /// A_ij = Σ left_i · right_j, with left = J and right = W J (or J, for J Jᵀ).
  const SparseSymmetric& assemble(const VecX& left, const VecX& right);
  /// Only those of its values that are wanted; the others are left alone.
  void assemble(const VecX& left, const VecX& right, const std::vector<int>& wanted);
  /// … of J W Jᵀ, where all bodies are particles, with W per velocity.
  void assemble_particles(const VecX& J, const VecX& W, const std::vector<int>& wanted);
  void set(int entry, double value) { matrix_.value[entry] = value; }
  void add_to_diagonal(int row, double value);
  const SparseSymmetric& matrix() const { return matrix_; }

 private:
  struct Term {
    int left, right;
    unsigned size : 3, dof : 29;  // of the body
  };
  /// The same term of entries side by side in a row: `left` of all, `right` and so on.
  struct Run {
    int entry, left, right;
    short stride;
    std::uint8_t count;
    bool is_of_six : 1, is_first : 1;  ///< the first terms of these entries
  };
  double sum(int entry, const double* left, const double* right) const;
  void find_runs();
  void add_runs(int row, const double* left, const double* right);
  SparseSymmetric matrix_;
  std::vector<int> first_term_{0};  // per entry
  std::vector<Term> terms_;
  // Of joints with several rows, where this is much less to read than all terms; else empty.
  std::vector<Run> runs_;
  std::vector<int> first_run_;  // per row
};

}  // namespace taut
