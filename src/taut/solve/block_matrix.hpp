// A sparse matrix of small dense blocks, one for each body (3 or 6 wide) on the diagonal and one
// for each pair of bodies that something joins. Symmetric but for the blocks on the diagonal: of
// the others the lower half is stored.
#pragma once

#include <utility>
#include <vector>

#include "taut/base/types.hpp"

namespace taut {

class BlockMatrix {
 public:
  struct Body {
    int dof, size;
  };

  /// `pairs`: of bodies, in any order, as often as they come.
  void analyze(std::vector<Body> bodies, std::vector<std::pair<int, int>> pairs);

  int body_count() const { return static_cast<int>(bodies_.size()); }
  const Body& body(int i) const { return bodies_[static_cast<std::size_t>(i)]; }

  void set_zero() { values_.assign(values_.size(), 0.0); }
  /// Where the block of two bodies, or one, is among the values: rows of the first, by columns; or
  /// transposed, if the first comes before the second.
  struct Place {
    int value;
    bool transposed;
  };
  Place find(int row_body, int column_body) const;
  double* values() { return values_.data(); }

  /// out = A x
  void multiply(const VecX& x, VecX& out) const;

 private:
  int diagonal_value(int body) const { return diagonal_[static_cast<std::size_t>(body)]; }

  std::vector<Body> bodies_;
  std::vector<int> begin_, column_, value_;  // lower half, by rows of blocks
  std::vector<int> diagonal_;
  std::vector<double> values_;
  bool all_particles_ = true;
};

}  // namespace taut
