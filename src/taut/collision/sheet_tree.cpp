#include "taut/collision/sheet_tree.hpp"

#include <algorithm>
#include <cmath>

#include "taut/base/error.hpp"

namespace taut::collision {
namespace {

constexpr double stale_sheet = 2;  // surface of inner nodes, over what it was when built
constexpr std::size_t enough_tasks = 192;

}  // namespace

bool SheetTree::refit(const Motion& motion) {
  const auto count = static_cast<std::size_t>(sheet_->vertex_count());
  TAUT_CHECK(motion.from.size() == count);
  boxes_.resize(count);
  tasks_.clear();
  is_finite_ = true;
  for (std::size_t i = 0; i < count; ++i) {
    boxes_[i] = motion.box(i);
    // The comparison of a NaN is false; min and max may have lost it.
    const Vec3& to = motion.to.empty() ? motion.from[i] : motion.to[i];
    const double size = boxes_[i].high.cwiseAbs().sum() + boxes_[i].low.cwiseAbs().sum() +
                        motion.from[i].cwiseAbs().sum() + to.cwiseAbs().sum();
    is_finite_ = is_finite_ && size < INFINITY;
  }
  if (!is_finite_ || sheet_->elements().empty()) return is_finite_;
  const bool is_new = nodes_.size() != 2 * sheet_->elements().size() - 1;
  if (!is_new) fit_nodes();
  if (is_new || inner_surface() > stale_sheet * surface_when_built_) build();
  divide();
  return true;
}

Bounds SheetTree::element_box(int element) const {
  const Sheet::Element& e = sheet_->element(element);
  Bounds box = vertex_box(e.vertex[0]).united(vertex_box(e.vertex[1]));
  return e.is_triangle() ? box.united(vertex_box(e.vertex[2])) : box;
}

void SheetTree::build() {
  const std::size_t count = sheet_->elements().size();
  nodes_.clear();
  nodes_.reserve(2 * count - 1);
  order_.resize(count);
  middles_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    order_[i] = static_cast<int>(i);
    const Bounds box = element_box(static_cast<int>(i));
    middles_[i] = box.low + box.high;
  }
  build_parts(0, static_cast<int>(sheet_->parts().size()));
  fit_nodes();
  surface_when_built_ = inner_surface();
  ++built_;
}

/// Parts first, so that what is fixed stays by itself.
int SheetTree::build_parts(int first, int last) {
  const auto elements = [&](int from, int to) {
    int count = 0;
    for (int p = from; p < to; ++p) count += sheet_->part(p).elements;
    return count;
  };
  const int begin = sheet_->part(first).first_element, count = elements(first, last);
  if (last - first == 1)
    return build(std::span(order_).subspan(static_cast<std::size_t>(begin),
                                           static_cast<std::size_t>(count)));
  const int middle = (first + last) / 2;
  const int below = elements(first, middle);
  if (below == 0) return build_parts(middle, last);
  if (below == count) return build_parts(first, middle);
  const auto i = nodes_.size();
  nodes_.emplace_back();
  build_parts(first, middle);
  const int right = build_parts(middle, last);
  nodes_[i].right = right;
  return static_cast<int>(i);
}

int SheetTree::build(std::span<int> elements) {
  const auto i = nodes_.size();
  nodes_.emplace_back();
  if (elements.size() == 1) {
    const Sheet::Element& e = sheet_->element(elements[0]);
    nodes_[i].element = elements[0];
    nodes_[i].is_fixed = sheet_->part(e.part).is_fixed;
    return static_cast<int>(i);
  }
  // Halves along the side on which the middles are farthest apart.
  Vec3 low = Vec3::Constant(INFINITY), high = Vec3::Constant(-INFINITY);
  for (const int e : elements) {
    const Vec3& middle = middles_[static_cast<std::size_t>(e)];
    low = low.cwiseMin(middle);
    high = high.cwiseMax(middle);
  }
  int axis = 0;
  (high - low).maxCoeff(&axis);
  const std::size_t half = elements.size() / 2;
  std::nth_element(elements.begin(), elements.begin() + static_cast<std::ptrdiff_t>(half),
                   elements.end(), [&](int a, int b) {
                     const double x = middles_[static_cast<std::size_t>(a)][axis];
                     const double y = middles_[static_cast<std::size_t>(b)][axis];
                     return x != y ? x < y : a < b;
                   });
  build(elements.first(half));
  const int right = build(elements.subspan(half));
  nodes_[i].right = right;
  return static_cast<int>(i);
}

/// Children come after their parents.
void SheetTree::fit_nodes() {
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    Node& n = nodes_[i];
    if (n.is_leaf()) {
      n.box = element_box(n.element);
    } else {
      const Node &left = nodes_[i + 1], &right = node(n.right);
      n.box = left.box.united(right.box);
      n.is_fixed = left.is_fixed && right.is_fixed;
    }
  }
}

double SheetTree::inner_surface() const {
  double inner = 0, leaves = 0;
  for (const Node& n : nodes_) (n.is_leaf() ? leaves : inner) += n.box.half_area();
  return leaves > 0 ? inner / leaves : 0;
}

/// Pairs of nodes, none of which overlap another's work, until there are enough of them.
void SheetTree::divide() {
  tasks_.assign(1, {0, 0});
  for (bool goes_on = true; goes_on && tasks_.size() < enough_tasks;) {
    goes_on = false;
    divided_.clear();
    const auto add = [&](int a, int b) {
      if (a == b ? node(a).is_leaf() || node(a).is_fixed
                 : (node(a).is_fixed && node(b).is_fixed) || !node(a).box.overlaps(node(b).box))
        return;
      divided_.push_back({a, b});
    };
    for (const auto& [a, b] : tasks_) {
      const Node &first = node(a), &second = node(b);
      goes_on = goes_on || !first.is_leaf() || !second.is_leaf();
      if (a == b) {
        if (first.is_leaf()) continue;
        add(a + 1, a + 1);
        add(a + 1, first.right);
        add(first.right, first.right);
      } else if (!first.is_leaf() &&
                 (second.is_leaf() || first.box.half_area() >= second.box.half_area())) {
        add(a + 1, b);
        add(first.right, b);
      } else if (!second.is_leaf()) {
        add(a, b + 1);
        add(a, second.right);
      } else {
        add(a, b);
      }
    }
    tasks_.swap(divided_);
  }
}

void SheetTree::candidates(int task, std::vector<Candidate>& out) const {
  const Pair pair = tasks_[static_cast<std::size_t>(task)];
  descend(pair.a, pair.b, out);
}

void SheetTree::descend(int a, int b, std::vector<Candidate>& out) const {
  const Node &first = node(a), &second = node(b);
  if (first.is_fixed && second.is_fixed) return;
  if (a == b) {
    if (first.is_leaf()) return;
    descend(a + 1, a + 1, out);
    descend(a + 1, first.right, out);
    descend(first.right, first.right, out);
    return;
  }
  if (!first.box.overlaps(second.box)) return;
  if (first.is_leaf() && second.is_leaf()) {
    meet(sheet_->element(first.element), first.element, sheet_->element(second.element),
         second.element, first.box, second.box, out);
  } else if (!first.is_leaf() &&
             (second.is_leaf() || first.box.half_area() >= second.box.half_area())) {
    descend(a + 1, b, out);
    descend(first.right, b, out);
  } else {
    descend(a, b + 1, out);
    descend(a, second.right, out);
  }
}

void SheetTree::meet(const Sheet::Element& a, int number_a, const Sheet::Element& b, int number_b,
                     const Bounds& box_a, const Bounds& box_b, std::vector<Candidate>& out) const {
  const auto vertices = [&](const Sheet::Element& from, const Sheet::Element& face, int number,
                            const Bounds& box) {
    if (!face.is_triangle() || !from.owned_vertices) return;
    for (std::size_t k = 0; k < 3; ++k)
      if (from.owns_vertex(k) && !face.has(from.vertex[k]) &&
          vertex_box(from.vertex[k]).overlaps(box))
        out.push_back({false, from.vertex[k], number});
  };
  vertices(a, b, number_b, box_b);
  vertices(b, a, number_a, box_a);
  if (!a.owned_edges || !b.owned_edges) return;
  const auto edge_box = [&](const std::array<int, 2>& end) {
    return vertex_box(end[0]).united(vertex_box(end[1]));
  };
  for (std::size_t i = 0; i < 3; ++i) {
    if (!a.owns_edge(i)) continue;
    const std::array<int, 2>& edge_a = sheet_->edge(a.edge[i]);
    const Bounds box = edge_box(edge_a);
    if (!box.overlaps(box_b)) continue;
    for (std::size_t j = 0; j < 3; ++j) {
      if (!b.owns_edge(j)) continue;
      const std::array<int, 2>& edge_b = sheet_->edge(b.edge[j]);
      const bool share_vertex = edge_a[0] == edge_b[0] || edge_a[0] == edge_b[1] ||
                                edge_a[1] == edge_b[0] || edge_a[1] == edge_b[1];
      if (!share_vertex && box.overlaps(edge_box(edge_b)))
        // The lower first: of parallel edges, which end is nearest must not depend on the tree.
        out.push_back({true, std::min(a.edge[i], b.edge[j]), std::max(a.edge[i], b.edge[j])});
    }
  }
}

}  // namespace taut::collision
