// The queries of BoxTree that call back; included by tree.hpp.
#pragma once

#include <algorithm>
#include <limits>

#include "taut/collision/tree.hpp"

namespace taut::collision {

template <class Visit>
void BoxTree::overlapping(const Bounds& box, Visit&& visit) const {
  int stack[deepest];
  int top = 0;
  if (root_ >= 0) stack[top++] = root_;
  while (top > 0) {
    const Node& n = node(stack[--top]);
    if (!n.box.overlaps(box)) continue;
    if (n.is_leaf()) {
      if (!visit(n.item)) return;
    } else {
      stack[top++] = n.child[1];
      stack[top++] = n.child[0];
    }
  }
}

/// Where a ray enters a box, or infinity when it does not with t ≤ best.
inline double BoxTree::entry(const Bounds& box, const Vec3& origin, const Vec3& inverse,
                             double best) {
  double from = 0, to = best;
  for (int k = 0; k < 3; ++k) {
    double near = (box.low[k] - origin[k]) * inverse[k];
    double far = (box.high[k] - origin[k]) * inverse[k];
    if (near > far) std::swap(near, far);
    // 0·∞ is no number: the ray runs in the plane of a side, and both comparisons let it pass.
    if (near > from) from = near;
    if (far < to) to = far;
  }
  return from <= to ? from : std::numeric_limits<double>::infinity();
}

template <class Visit>
void BoxTree::along_ray(const Vec3& origin, const Vec3& direction, double best,
                        Visit&& visit) const {
  const Vec3 inverse = direction.cwiseInverse();
  struct Entry {
    int node;
    double t;
  } stack[deepest];
  int top = 0;
  const auto push = [&](int i) {
    const double t = entry(node(i).box, origin, inverse, best);
    if (t <= best) stack[top++] = {i, t};
  };
  if (root_ >= 0) push(root_);
  while (top > 0) {
    const Entry next = stack[--top];
    if (next.t > best) continue;
    const Node& n = node(next.node);
    if (n.is_leaf()) {
      best = visit(n.item, best);
      continue;
    }
    const int before = top;
    push(n.child[0]);
    push(n.child[1]);
    if (top == before + 2 && stack[before].t < stack[before + 1].t)
      std::swap(stack[before], stack[before + 1]);  // the nearer one on top
  }
}

template <class Visit>
void BoxTree::nearest(const Bounds& box, double best, Visit&& visit) const {
  struct Entry {
    int node;
    double distance;
  } stack[deepest];
  int top = 0;
  const auto push = [&](int i) {
    const Bounds& other = node(i).box;
    const double distance =
        (other.low - box.high).cwiseMax(box.low - other.high).cwiseMax(0.0).norm();
    if (distance <= std::max(best, 0.0)) stack[top++] = {i, distance};
  };
  if (root_ >= 0) push(root_);
  while (top > 0) {
    const Entry next = stack[--top];
    if (!(next.distance <= std::max(best, 0.0))) continue;
    const Node& n = node(next.node);
    if (n.is_leaf()) {
      best = visit(n.item, best);
      continue;
    }
    const int before = top;
    push(n.child[0]);
    push(n.child[1]);
    if (top == before + 2 && stack[before].distance < stack[before + 1].distance)
      std::swap(stack[before], stack[before + 1]);
  }
}

}  // namespace taut::collision
