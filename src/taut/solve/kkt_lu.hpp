// L U factorisation of the saddle-point matrix of a constrained step,
//
//   [ H  B ]   H: a dense block for each body (3 or 6), and for pairs of bodies that a constraint
//   or [ J  −ε ]     a spring joins;  B, J: blocks for each constraint and each of its bodies,
//
// in an order that makes no fill where the graph of bodies is a tree: from the leaves to the root.
// Elsewhere a minimum-degree order. The pattern is symmetric, the values need not be: B = Jᵀ only
// for methods whose forces act along the gradients they linearise.
//
// Multifrontal: for each body a small dense matrix (front) holds the unknowns eliminated with it
// and those they are tied to. Callers add their blocks straight into the fronts.
//
// No pivoting. H must be positive definite (as M/h² + G with G ≥ 0 is). A constraint's rows are
// eliminated with the first of its bodies if nothing else holds that body, where they have full
// rank; else with the last, so that a pivot vanishes only for rows that depend on rows before them.
#pragma once

#include <array>
#include <vector>

#include "taut/base/types.hpp"

namespace taut {

struct KktPattern {
  struct Group {  ///< the rows of one constraint
    std::vector<int> bodies;
    int rows = 1;
  };
  std::vector<int> body_size;
  std::vector<Group> groups;
  std::vector<std::array<int, 2>> couplings;  ///< pairs of bodies, beside those within groups
};

class KktLu {
 public:
  /// A dense block inside a front: entry (i, j) is values()[offset + i·stride + j].
  struct Block {
    int offset = -1;
    int stride = 0;
  };

  void analyze(const KktPattern& pattern);

  Block body(int body) const { return body_[body]; }
  /// Rows of `first`, columns of `second`: two bodies of a common group or coupling.
  Block bodies(int first, int second) const;
  /// J: the group's rows, the columns of its k-th body.
  Block rows(int group, int k) const;
  /// B: the rows of the group's k-th body, the group's columns.
  Block columns(int group, int k) const;
  Block group(int group) const { return group_[group]; }

  /// Sets all blocks to zero.
  void clear();
  double* values() { return values_.data(); }

  /// A row's pivot below this, relative to what it is the difference of, is round-off.
  static constexpr double singular_pivot = 1e-11;

  struct Pivots {
    bool definite = true;     ///< all pivots of H were positive
    double smallest_row = 1;  ///< smallest pivot of a row relative to what it was the difference
                              ///< of: about round-off where rows depend on each other
    double largest_row = 0;   ///< largest pivot of a row, or what it was the difference of
  };
  /// Factors what has been added, with `shift` taken off the diagonal of all rows.
  Pivots factor(double shift = 0);
  /// x, y ← the solution for the right-hand side x (per velocity), y (per row).
  void solve(VecX& x, VecX& y);

  /// Numbers in all fronts: proportional to time and memory.
  std::size_t size() const { return values_.size(); }
  bool is_tree() const { return is_tree_; }

 private:
  struct Front {
    int offset = 0;               // in values_
    int bodies = 0;               // unknowns of the body: the first pivots
    int pivots = 0;               // with the rows eliminated here
    int size = 0;                 // with the border
    int first = 0;                // number of its first pivot in the order of elimination
    int border = 0;               // in border_: positions of the border in that order
    int parent = -1;              // front that takes the border
    int rows = 0, row_count = 0;  // in rows_: which of its unknowns are rows of constraints
    bool is_link = false;         // a particle and a row, tied to one other particle
    bool contiguous = false;      // the border is side by side in the parent
    int relative = 0;             // in relative_: where the border is in the parent
  };
  struct Place {  // of a body or a group
    int front = 0, index = 0;
  };

  void eliminate_front(const Front& front, double* a, Pivots& pivots);
  std::vector<int> order_bodies(const KktPattern& pattern);
  Block between(const Place& row, int row_node, const Place& column, int column_node) const;
  int index_in(int front, int node) const;

  bool is_tree_ = false;
  std::vector<KktPattern::Group> groups_;
  std::vector<Place> place_;             // per node: bodies, then groups
  std::vector<std::vector<int>> nodes_;  // per front: its nodes, pivots first
  std::vector<std::vector<int>> index_;  // per front: where each of them starts
  std::vector<Front> fronts_;            // in the order of elimination
  std::vector<Block> body_, group_;
  std::vector<int> border_, relative_, rows_;
  std::vector<double> peak_;      // per unknown of a front
  std::vector<double> row_peak_;  // per unknown, in the order of elimination
  std::vector<int> to_order_;     // per unknown, velocities then rows: its number in that order
  std::vector<double> values_;
  VecX ordered_;
  int velocities_ = 0;
};

}  // namespace taut
