// A ≈ A without all but a few of its couplings, such that it can be factored without fill: the
// preconditioner for constraint graphs with many loops, such as cloth.
//
//  1. Leaves. A row whose neighbours are all neighbours of each other is eliminated exactly,
//     without fill; then others become leaves. Chains and trees are eliminated entirely, and so are
//     pins: what is left of a cloth is its edges, which do not feel the pinned vertices any more.
//  2. Paths. The rest, the core, is covered with paths along the strongest couplings
//     |A_ij|/√(A_ii A_jj): on a grid these are the yarns, since a warp edge and a weft edge are
//     nearly at right angles. Each path is a tridiagonal matrix; couplings between paths are left
//     out.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "taut/base/types.hpp"
#include "taut/solve/sparse_symmetric.hpp"

namespace taut {

class Archive;

class PathFactor {
 public:
  /// Finds the leaves. The paths depend on values: the first factor() finds them.
  void analyze(const SparseSymmetric& A);
  void factor(const SparseSymmetric& A);
  /// Which values of A factor() reads, once there are paths: about two per row. Empty: there are
  /// none yet.
  const std::vector<int>& reads() const { return reads_; }
  /// z = M⁻¹ r
  void solve(const VecX& r, VecX& z) const;
  void solve(VecX& z) const;
  /// The same in single precision, of the factors when round_off() was last called.
  void solve(Eigen::VectorXf& z) const;
  void round_off();

  /// Rows that are not leaves. Without any, M = A.
  int core_size() const { return static_cast<int>(core_.size()); }
  int path_count() const { return static_cast<int>(path_begin_.size()) - 1; }
  /// Its rows, in order.
  std::span<const int> path(int i) const {
    return std::span(core_).subspan(static_cast<std::size_t>(path_begin_[i]),
                                    static_cast<std::size_t>(path_begin_[i + 1] - path_begin_[i]));
  }
  /// How much couplings the paths leave out: the mean over the core's rows of Σ |A_ij|/√(A_ii
  /// A_jj).
  double left_out(const SparseSymmetric& A) const;
  /// A row beside another one in its path, and how much is taken off that one's diagonal where this
  /// one, and all beyond it, are eliminated; −1: there is none.
  struct Side {
    int row;
    double share;
  };
  std::array<Side, 2> sides(int row) const;
  /// The paths of analyze(A) alone: factors are made anew.
  void archive(Archive& a, const SparseSymmetric& A);
  /// Lets the next factor() look for better paths.
  void forget_paths() {
    has_paths_ = false;
    reads_.clear();
  }

 private:
  /// Row `row` still has to take out of its right-hand side what the leaf has of it.
  struct LeafEntry {
    int row, source, target;
  };
  /// value[target] −= value[first]·value[second]/pivot
  struct Update {
    int target, first, second;
  };

  template <class Number>
  struct Factors {
    std::vector<Number> value;          // of the leaves' couplings, and more
    std::vector<Number> inverse_pivot;  // per leaf, then per core row
    std::vector<Number> lower;          // per core row: its factor of the row before it
  };

  void find_paths(const SparseSymmetric& A);
  void plan(const SparseSymmetric& A);
  template <class Number>
  void solve_in_place(Number* z, const Factors<Number>& factors, Number* y) const;

  std::vector<int> leaves_;  // in the order of elimination
  std::vector<int> core_;    // the others: path after path, once there are paths
  bool has_paths_ = false;
  std::vector<int> path_begin_{0};        // in core_
  std::vector<int> place_;                // per row: in core_, or −1
  std::vector<int> leaf_source_;          // per leaf: its diagonal in A
  std::vector<int> entry_begin_;          // per leaf
  std::vector<LeafEntry> entries_;        // couplings of leaves with rows that come later
  std::vector<int> update_begin_;         // per leaf
  std::vector<Update> updates_;           // what eliminating it does to the others
  std::vector<int> diagonal_, coupling_;  // per core row: where in A; with the row before it, or −1
  std::vector<int> reads_;

  // A substitution waits for each row of a path before it can do the next. So the core is cut where
  // paths begin, into parts of about the same length that are done side by side.
  static constexpr int lanes = 4;
  std::array<int, lanes + 1> lane_begin_{};

  // Values: of the leaves' couplings, their pivots, the core's diagonals, its couplings.
  Factors<double> factors_;
  Factors<float> rounded_;
  mutable VecX scratch_;  // per core row
  mutable Eigen::VectorXf rounded_scratch_;
};

/// Covers the rows listed with paths along strong couplings, each row in one path. Returns the
/// rows, path after path, and where each path begins.
struct PathCover {
  std::vector<int> order;
  std::vector<int> begin{0};
};
PathCover cover_with_paths(const SparseSymmetric& A, const std::vector<int>& rows);

}  // namespace taut
