// A tree of bounding boxes over the elements of a Sheet: what may be near, or come near.
//
// The tree is built once and refitted whenever the vertices have moved. It is stale, and built
// anew, when the boxes of its inner nodes have twice the surface, in relation to those of the
// leaves, that they had when it was built.
//
// A vertex has a box around its way from one place to another, grown by a radius of its own: a
// vertex that hardly moves has a small one, however fast others are. Vertices that all move alike
// get no nearer to each other: places can be seen from an origin that moves with them. Nothing is
// allocated after the first refits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "taut/collision/shape.hpp"
#include "taut/collision/sheet.hpp"

namespace taut::collision {

class SheetTree {
 public:
  explicit SheetTree(const Sheet& sheet) : sheet_(&sheet) {}

  struct Motion {
    std::span<const Vec3> from, to;    ///< of each vertex; `to` may be empty: no motion
    std::span<const double> radius{};  ///< of each vertex; may be empty
    double margin = 0;                 ///< added to all of them
    /// From where `from` and `to` are seen, if nothing stays behind.
    Vec3 from_origin = Vec3::Zero(), to_origin = Vec3::Zero();

    /// Around the way of a vertex.
    Bounds box(std::size_t vertex) const {
      const Vec3 begin = from[vertex] - from_origin;
      const Vec3 end = to.empty() ? begin : Vec3(to[vertex] - to_origin);
      const double grown = margin + (radius.empty() ? 0 : radius[vertex]);
      return {(begin.cwiseMin(end).array() - grown).matrix(),
              (begin.cwiseMax(end).array() + grown).matrix()};
    }
  };
  /// Returns false, and has no pairs, when a place or a radius is not finite.
  bool refit(const Motion& motion);

  /// A vertex and a triangle, or two edges, whose boxes overlap, and that have no vertex in common.
  struct Candidate {
    bool is_edges;
    int first;   ///< a vertex, or an edge
    int second;  ///< an element, or an edge
  };
  /// The work is divided into tasks that can be done at the same time. Their number and what each
  /// finds depend on the boxes alone.
  int task_count() const { return static_cast<int>(tasks_.size()); }
  void candidates(int task, std::vector<Candidate>& out) const;

  /// Calls visit(element) for elements whose box overlaps this one; the order is that of the tree.
  template <class Visit>
  void overlapping(const Bounds& box, Visit&& visit) const {
    int stack[deepest];
    int top = 0;
    if (!nodes_.empty() && is_finite_) stack[top++] = 0;
    while (top > 0) {
      const int i = stack[--top];
      const Node& n = node(i);
      if (!n.box.overlaps(box)) continue;
      if (n.is_leaf()) {
        visit(n.element);
      } else {
        stack[top++] = n.right;
        stack[top++] = i + 1;
      }
    }
  }

  const Bounds& vertex_box(int vertex) const { return boxes_[static_cast<std::size_t>(vertex)]; }
  int built() const { return built_; }  ///< how often

 private:
  struct Node {
    Bounds box;
    int right = -1;  // the second child; the first is the next node. −1: a leaf
    int element = -1;
    bool is_fixed = false;
    bool is_leaf() const { return right < 0; }
  };
  static constexpr int deepest = 128;

  const Node& node(int i) const { return nodes_[static_cast<std::size_t>(i)]; }
  void build();
  int build(std::span<int> elements);
  int build_parts(int first, int last);
  Bounds element_box(int element) const;
  void fit_nodes();
  double inner_surface() const;
  void divide();
  void descend(int a, int b, std::vector<Candidate>& out) const;
  void meet(const Sheet::Element& a, int number_a, const Sheet::Element& b, int number_b,
            const Bounds& box_a, const Bounds& box_b, std::vector<Candidate>& out) const;

  const Sheet* sheet_;
  std::vector<Bounds> boxes_;  // of vertices
  std::vector<Node> nodes_;    // parents before their children
  std::vector<int> order_;
  std::vector<Vec3> middles_;
  struct Pair {
    int a, b;
  };
  std::vector<Pair> tasks_, divided_;
  double surface_when_built_ = 0;
  bool is_finite_ = false;
  int built_ = 0;
};

}  // namespace taut::collision
