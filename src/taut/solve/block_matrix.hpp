// A sparse matrix of small dense blocks, one for each body (3 or 6 wide) on the diagonal and one
// for each pair of bodies that something joins; or one number, where two particles are joined by
// what is the same in all directions. Symmetric but for the blocks on the diagonal: of the others
// the lower half is stored.
#pragma once

#include <vector>

#include "taut/base/types.hpp"

namespace taut {

class BlockMatrix {
 public:
  struct Body {
    int dof, size;
  };
  struct Pair {
    int row, column;
    bool is_scalar;
  };

  /// `pairs`: of bodies, in any order, as often as they come; scalar where all of them are.
  void analyze(std::vector<Body> bodies, std::vector<Pair> pairs);

  int body_count() const { return static_cast<int>(bodies_.size()); }
  const Body& body(int i) const { return bodies_[static_cast<std::size_t>(i)]; }
  bool all_particles() const { return all_particles_; }

  void set_zero() { values_.assign(values_.size(), 0.0); }
  /// Where the block of two bodies, or one, is among the values: rows of the first, by columns; or
  /// transposed, if the first comes before the second.
  struct Place {
    int value;
    bool transposed, is_scalar;
  };
  Place find(int row_body, int column_body) const;
  double* values() { return values_.data(); }
  const double* values() const { return values_.data(); }
  /// Calls visit(row body, column body, where among the values, whether it is a single number) for
  /// each block of the lower half.
  template <class Visit>
  void each_beside_diagonal(const Visit& visit) const {
    for (int i = 0; i < body_count(); ++i)
      for (int p = begin_[i]; p < begin_[i + 1]; ++p)
        visit(i, entries_[p].column, entries_[p].value, p >= scalars_[i]);
  }

  /// out = A x
  void multiply(const VecX& x, VecX& out) const;
  /// out += (A − its diagonal blocks) x
  void add_beside_diagonal(const VecX& x, VecX& out) const;

 private:
  struct Entry {
    int column, value;
  };
  template <bool with_diagonal>
  void add(const double* x, double* out) const;
  template <bool with_diagonal>
  void add_particles(const double* x, double* out) const;

  std::vector<Body> bodies_;
  // The lower half, by rows of blocks: for each row its blocks, then its single numbers, and then
  // the one on the diagonal.
  std::vector<int> begin_, scalars_;
  std::vector<Entry> entries_;
  std::vector<int> diagonal_;
  std::vector<double> values_;
  bool all_particles_ = true;
};

}  // namespace taut
