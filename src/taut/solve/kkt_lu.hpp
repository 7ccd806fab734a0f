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
// and those they are tied to. Each front is filled by the caller, takes what the fronts below it
// leave, and is eliminated, all while it is in the cache.
//
// No pivoting. H must be positive definite (as M/h² + G with G ≥ 0 is). A constraint's rows are
// eliminated with the first of its bodies if nothing else holds that body, where they have full
// rank; else with the last, so that a pivot vanishes only for rows that depend on rows before them.
// Such rows can be left out: their multiplier is then zero, and what they ask for is ignored.
#pragma once

#include <array>
#include <memory>
#include <memory_resource>
#include <vector>

#include "taut/base/crew.hpp"
#include "taut/base/types.hpp"
#include "taut/solve/kkt_front.hpp"

namespace taut {

class ScratchMemory;

struct KktPattern {
  struct Group {  ///< the rows of one constraint
    std::vector<int> bodies;
    int rows = 1;
  };
  std::vector<int> body_size;
  std::vector<Group> groups;
  std::vector<std::array<int, 2>> couplings;  ///< pairs of bodies, beside those within groups
  /// As contacts come and go: where there are few bodies, an analysis allocates no memory then,
  /// once there was one of that size.
  bool changes_often = false;
};

class KktLu {
 public:
  /// A dense block inside a front: entry (i, j) is at offset + i·stride + j of the front.
  struct Block {
    int front = -1;
    int offset = 0;
    int stride = 0;
  };
  /// Adds the blocks of one front to its values, which are zero.
  struct Filler {
    virtual ~Filler() = default;
    virtual void fill(int front, double* values) const = 0;
  };

  void analyze(const KktPattern& pattern);

  Block body(int body) const { return bodies(body, body); }
  /// Rows of `first`, columns of `second`: two bodies of a common group or coupling.
  Block bodies(int first, int second) const;
  /// J: the group's rows, the columns of its k-th body.
  Block rows(int group, int k) const;
  /// B: the rows of the group's k-th body, the group's columns.
  Block columns(int group, int k) const;

  /// What is on the diagonal for the group's rows.
  Block group(int group) const { return between(bodies_ + group, bodies_ + group); }

  int front_count() const { return static_cast<int>(fronts_.size()); }

  using Pivots = KktPivots;
  /// With `shift` taken off the diagonal of all rows.
  Pivots factor(const Filler& filler, double shift = 0);
  /// The same; rows whose pivot is below `dependent`, relative to what it is the difference of, are
  /// left out from now on.
  Pivots factor_and_leave_out(const Filler& filler, double dependent);

  /// Which rows take part from now on.
  void leave_out(int row, bool is_out) { out_[to_order_[velocities_ + row]] = is_out ? 1 : 0; }
  bool is_left_out(int row) const { return out_[to_order_[velocities_ + row]] != 0; }
  /// The pivot of a row in the last factorisation, relative to what it was the difference of. Of a
  /// row that is left out: what it would have been.
  double relative_pivot(int row) const { return relative_pivot_[to_order_[velocities_ + row]]; }

  /// x, y ← the solution for the right-hand side x (per velocity), y (per row).
  void solve(VecX& x, VecX& y) { solve(x.data(), y.data()); }
  void solve(double* x, double* y);

  /// Numbers in all fronts: proportional to time and memory.
  std::size_t size() const { return FrontShape::lanes * values_.size(); }
  bool is_tree() const { return is_tree_; }
  /// How many parts that share nothing there are, and on how many threads they are worked on.
  int islands() const { return static_cast<int>(islands_.size()) - 1; }
  int threads() const { return static_cast<int>(parts_.size()); }

 private:
  struct Front {
    FrontShape shape;
    const FrontKernels* kernels = nullptr;
    int offset = 0;                     // in values_, in fours
    int first = 0;                      // number of its first pivot in the order of elimination
    int border = 0;                     // in border_: positions of the border in that order
    int children = 0, child_count = 0;  // in children_
    int parent = -1;                    // front that takes the border
    int rows = 0, row_count = 0;        // in rows_: which of its unknowns are rows of constraints
    bool contiguous = false;            // the border is side by side in the parent
    int relative = 0;                   // in relative_: where the border is in the parent
    int nodes = 0, node_count = 0;      // in nodes_ and index_, pivots first
  };
  /// Some islands, for one thread.
  struct Part {
    int begin = 0, end = 0;    // fronts
    std::vector<double> peak;  // per unknown of a front
    Pivots pivots;
  };
  /// Calls work(part) for each, at the same time.
  template <class Work>
  void in_parts(const Work& work);
  void factor(const Filler& filler, double shift, double dependent, Part& part);
  Pivots factor(const Filler& filler, double shift, double dependent);
  void eliminate_front(const Front& front, double* a, double dependent, Part& part);
  void take_from_below(const Front& front, double* a) const;
  double* values(const Front& front) { return values_[front.offset].data(); }
  const double* values(const Front& front) const { return values_[front.offset].data(); }
  void share_work(int largest_front);
  void order_bodies(const KktPattern& pattern, std::pmr::vector<int>& order);
  Block between(int row_node, int column_node) const;
  int index_in(int front, int node) const;

  bool is_tree_ = false;
  std::shared_ptr<ScratchMemory> memory_;  // while the plan is made
  std::vector<int> group_bodies_, first_in_group_;
  std::vector<int> front_of_;  // per node, bodies and then groups: where it is eliminated
  std::vector<int> nodes_;     // of the fronts
  std::vector<int> index_;     // where each of them starts in its front
  std::vector<Front> fronts_;  // in the order of elimination
  int bodies_ = 0;
  std::vector<int> border_, relative_, rows_, children_;
  std::vector<int> islands_;  // fronts [islands_[i], islands_[i + 1]) are an island
  std::vector<Part> parts_;
  std::shared_ptr<Crew> crew_;  // none: one thread does
  // Per unknown, in the order of elimination; they tell of rows only:
  std::vector<double> row_peak_, relative_pivot_;
  std::vector<char> out_;
  std::vector<int> to_order_;  // per unknown, velocities then rows: its number in that order
  struct alignas(FrontShape::lanes * sizeof(double)) Four : std::array<double, FrontShape::lanes> {
  };
  std::vector<Four> values_;
  std::vector<double> ordered_;
  int velocities_ = 0;
};

}  // namespace taut
