#include "taut/collision/tree.hpp"

#include <numeric>

#include "taut/base/error.hpp"

namespace taut::collision {

int BoxTree::new_node() {
  if (free_ < 0) {
    nodes_.emplace_back();
    return static_cast<int>(nodes_.size()) - 1;
  }
  const int i = free_;
  free_ = node(i).parent;
  node(i) = Node{};
  return i;
}

void BoxTree::free_node(int i) {
  node(i) = Node{};
  node(i).parent = free_;
  node(i).height = -1;
  free_ = i;
}

void BoxTree::clear() {
  nodes_.clear();
  root_ = free_ = -1;
  count_ = 0;
}

void BoxTree::update(int i) {
  Node& n = node(i);
  const Node &a = node(n.child[0]), &b = node(n.child[1]);
  n.box = a.box.united(b.box);
  n.height = 1 + std::max(a.height, b.height);
}

int BoxTree::insert(int item, const Bounds& box) {
  const int leaf = new_node();
  node(leaf).box = box.grown(fat_);
  node(leaf).item = item;
  link(leaf);
  ++count_;
  return leaf;
}

bool BoxTree::move(int handle, const Bounds& box) {
  TAUT_CHECK(node(handle).is_leaf() && node(handle).height == 0);
  if (node(handle).box.contains(box)) return false;
  unlink(handle);
  node(handle).box = box.grown(fat_);
  link(handle);
  return true;
}

void BoxTree::remove(int handle) {
  TAUT_CHECK(node(handle).is_leaf() && node(handle).height == 0);
  unlink(handle);
  free_node(handle);
  --count_;
}

/// Beside the node where the boxes above grow least (Catto, Dynamic Bounding Volume Hierarchies,
/// GDC 2019: descend while a child is cheaper than a new parent here).
void BoxTree::link(int leaf) {
  if (root_ < 0) {
    root_ = leaf;
    node(leaf).parent = -1;
    return;
  }
  const Bounds box = node(leaf).box;
  int at = root_;
  while (!node(at).is_leaf()) {
    const double area = node(at).box.half_area();
    const double united = node(at).box.united(box).half_area();
    const double here = 2 * united, inherited = 2 * (united - area);
    double cost[2];
    for (int k = 0; k < 2; ++k) {
      const Node& child = node(node(at).child[k]);
      cost[k] = inherited + child.box.united(box).half_area() -
                (child.is_leaf() ? 0 : child.box.half_area());
    }
    if (here < cost[0] && here < cost[1]) break;
    at = node(at).child[cost[1] < cost[0] ? 1 : 0];
  }
  const int parent = new_node();
  const int above = node(at).parent;
  node(parent).parent = above;
  node(parent).child[0] = at;
  node(parent).child[1] = leaf;
  node(at).parent = node(leaf).parent = parent;
  if (above < 0)
    root_ = parent;
  else
    node(above).child[node(above).child[1] == at ? 1 : 0] = parent;
  refit(parent);
}

void BoxTree::unlink(int leaf) {
  const int parent = node(leaf).parent;
  node(leaf).parent = -1;
  if (parent < 0) {
    root_ = -1;
    return;
  }
  const int other = node(parent).child[node(parent).child[0] == leaf ? 1 : 0];
  const int above = node(parent).parent;
  node(other).parent = above;
  if (above < 0)
    root_ = other;
  else
    node(above).child[node(above).child[1] == parent ? 1 : 0] = other;
  free_node(parent);
  refit(above);
}

void BoxTree::refit(int from) {
  while (from >= 0) {
    from = balance(from);
    update(from);
    from = node(from).parent;
  }
}

/// Rotates where one side is higher by two or more, as in an AVL tree. Returns the node that is now
/// at the top.
int BoxTree::balance(int i) {
  if (node(i).is_leaf()) return i;
  const int left = node(i).child[0], right = node(i).child[1];
  const int difference = node(right).height - node(left).height;
  if (std::abs(difference) < 2) return i;
  const int side = difference > 0 ? 1 : 0;
  const int up = node(i).child[side];
  const int f = node(up).child[0], g = node(up).child[1];
  const int above = node(i).parent;
  node(up).parent = above;
  if (above < 0)
    root_ = up;
  else
    node(above).child[node(above).child[1] == i ? 1 : 0] = up;
  const bool f_is_higher = node(f).height > node(g).height;
  const int stays = f_is_higher ? f : g, sinks = f_is_higher ? g : f;
  node(up).child[0] = i;
  node(up).child[1] = stays;
  node(i).parent = up;
  node(stays).parent = up;
  node(i).child[side] = sinks;
  node(sinks).parent = i;
  update(i);
  return up;
}

void BoxTree::build(std::span<const Bounds> boxes) {
  clear();
  nodes_.reserve(2 * boxes.size());
  std::vector<int> leaves;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const int leaf = new_node();
    node(leaf).box = boxes[i].grown(fat_);
    node(leaf).item = static_cast<int>(i);
    leaves.push_back(leaf);
  }
  count_ = static_cast<int>(boxes.size());
  if (!leaves.empty()) root_ = build(std::span<int>(leaves));
}

/// Halves at the median of the centres along the longest axis.
int BoxTree::build(std::span<int> leaves) {
  if (leaves.size() == 1) return leaves[0];
  const auto middle_of = [&](int i) { return Vec3(node(i).box.low + node(i).box.high); };
  Bounds middles{middle_of(leaves[0]), middle_of(leaves[0])};
  for (const int leaf : leaves) middles = middles.united({middle_of(leaf), middle_of(leaf)});
  int axis = 0;
  (middles.high - middles.low).maxCoeff(&axis);
  const auto half = leaves.begin() + static_cast<std::ptrdiff_t>(leaves.size() / 2);
  std::nth_element(leaves.begin(), half, leaves.end(), [&](int a, int b) {
    const double x = middle_of(a)[axis], y = middle_of(b)[axis];
    return x != y ? x < y : a < b;
  });
  const int parent = new_node();
  const int first = build(leaves.first(leaves.size() / 2));
  const int second = build(leaves.subspan(leaves.size() / 2));
  node(parent).child[0] = first;
  node(parent).child[1] = second;
  node(first).parent = node(second).parent = parent;
  update(parent);
  return parent;
}

void BoxTree::pairs(std::vector<std::pair<int, int>>& out) const {
  out.clear();
  for (const Node& n : nodes_) {
    if (!n.is_leaf() || n.item < 0) continue;
    overlapping(n.box, [&](int other) {
      if (n.item < other) out.emplace_back(n.item, other);
      return true;
    });
  }
  std::sort(out.begin(), out.end());
}

int BoxTree::height() const { return root_ < 0 ? 0 : node(root_).height; }

bool BoxTree::is_sound() const {
  int leaves = 0;
  for (int i = 0; i < static_cast<int>(nodes_.size()); ++i) {
    const Node& n = node(i);
    if (n.height < 0) continue;  // free
    if ((n.parent < 0) != (i == root_)) return false;
    if (n.is_leaf()) {
      ++leaves;
      continue;
    }
    for (const int child : n.child)
      if (node(child).parent != i || !n.box.contains(node(child).box) ||
          node(child).height >= n.height)
        return false;
  }
  return leaves == count_;
}

}  // namespace taut::collision
