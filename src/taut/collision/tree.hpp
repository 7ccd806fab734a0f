// A tree of bounding boxes: which of many things may be near each other (broad phase).
//
// Things are known by a number of the user's (a body, a triangle). A thing that moves keeps its
// place in the tree while it stays in its fat box, so most moves cost nothing.
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "taut/collision/shape.hpp"

namespace taut::collision {

class BoxTree {
 public:
  /// Boxes are stored grown by `fat` on all sides.
  explicit BoxTree(double fat = 0) : fat_(fat) {}

  /// All at once: quicker, and a better tree, than one insert after the other. Item i has boxes[i].
  void build(std::span<const Bounds> boxes);
  /// Returns a handle for move() and remove().
  int insert(int item, const Bounds& box);
  /// Returns whether the tree changed.
  bool move(int handle, const Bounds& box);
  void remove(int handle);
  void clear();

  int size() const { return count_; }
  int item(int handle) const { return nodes_[static_cast<std::size_t>(handle)].item; }
  /// The stored box, which contains the one that was given.
  const Bounds& box(int handle) const { return nodes_[static_cast<std::size_t>(handle)].box; }

  /// Calls visit(item) for every thing whose stored box overlaps `box`, until it returns false.
  template <class Visit>
  void overlapping(const Bounds& box, Visit&& visit) const;
  /// Calls visit(item, best) for every thing whose stored box the ray origin + t·direction enters
  /// with t ≤ best, the near ones mostly first; visit returns the new best.
  template <class Visit>
  void along_ray(const Vec3& origin, const Vec3& direction, double best, Visit&& visit) const;
  /// Calls visit(item, best) for every thing whose stored box is not farther from `box` than best,
  /// or overlaps it; visit returns the new best.
  template <class Visit>
  void nearest(const Bounds& box, double best, Visit&& visit) const;

  /// All pairs of items whose stored boxes overlap: the smaller number first, in increasing order,
  /// whatever the history of the tree is. `out` is replaced.
  void pairs(std::vector<std::pair<int, int>>& out) const;

  int height() const;
  /// Whether every node contains its children and knows its parent. For tests.
  bool is_sound() const;

 private:
  struct Node {
    Bounds box;
    int parent = -1;
    int child[2] = {-1, -1};  ///< −1: a leaf
    int item = -1;
    int height = 0;

    bool is_leaf() const { return child[0] < 0; }
  };
  static constexpr int deepest = 128;  ///< of a stack of nodes: balanced trees never come near

  Node& node(int i) { return nodes_[static_cast<std::size_t>(i)]; }
  const Node& node(int i) const { return nodes_[static_cast<std::size_t>(i)]; }
  int new_node();
  void free_node(int i);
  void link(int leaf);
  void unlink(int leaf);
  void refit(int from);
  int balance(int i);
  void update(int i);
  int build(std::span<int> leaves);
  static double entry(const Bounds& box, const Vec3& origin, const Vec3& inverse, double best);

  double fat_;
  int root_ = -1, free_ = -1, count_ = 0;
  std::vector<Node> nodes_;
};

}  // namespace taut::collision

#include "taut/collision/tree_visits.hpp"
