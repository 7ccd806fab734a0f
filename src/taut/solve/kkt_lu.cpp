#include "taut/solve/kkt_lu.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "taut/base/error.hpp"

namespace taut {

int KktLu::index_in(int front, int node) const {
  const auto begin = nodes_.begin() + fronts_[front].nodes;
  const auto end = begin + fronts_[front].node_count;
  const auto found = std::find(begin, end, node);
  TAUT_CHECK(found != end);
  return index_[found - nodes_.begin()];
}

KktLu::Block KktLu::between(int row_node, int column_node) const {
  const int front = std::min(front_of_[row_node], front_of_[column_node]);
  const int stride = fronts_[front].shape.stride();
  return {front, index_in(front, row_node) * stride + index_in(front, column_node), stride};
}

KktLu::Block KktLu::bodies(int first, int second) const { return between(first, second); }

KktLu::Block KktLu::rows(int group, int k) const {
  return between(bodies_ + group, group_bodies_[first_in_group_[group] + k]);
}

KktLu::Block KktLu::columns(int group, int k) const {
  return between(group_bodies_[first_in_group_[group] + k], bodies_ + group);
}

// Rows that are eliminated in a later front bring the sizes they had in this one.
void KktLu::eliminate_front(const Front& front, double* a, double dependent, Part& part) {
  const int stride = front.shape.stride(), pivots = front.shape.pivots;
  const FrontRows rows{{rows_.data() + front.rows, static_cast<std::size_t>(front.row_count)},
                       part.peak.data(),
                       relative_pivot_.data() + front.first,
                       out_.data() + front.first,
                       dependent};
  const auto order = [&](int i) {
    return i < pivots ? front.first + i : border_[front.border + i - pivots];
  };
  for (const int i : rows.all)
    rows.peak[i] = std::max(row_peak_[order(i)], std::abs(a[i * (stride + 1)]));
  front.kernels->eliminate(front.shape, a, rows, part.pivots);
  for (const int i : rows.all) row_peak_[order(i)] = rows.peak[i];
}

void KktLu::take_from_below(const Front& front, double* a) const {
  const int stride = front.shape.stride();
  for (int c = 0; c < front.child_count; ++c) {
    const Front& child = fronts_[children_[front.children + c]];
    const int* to = relative_.data() + child.relative;
    if (child.contiguous) {  // as in every tree: the border is one body
      child.kernels->add_border(child.shape, values(child), front.shape, to[0], a);
      continue;
    }
    const int pivots = child.shape.pivots, from = child.shape.stride();
    const int border = child.shape.size - pivots;
    const double* left = values(child) + pivots * (from + 1);
    for (int i = 0; i < border; ++i)
      for (int j = 0; j < border; ++j) a[to[i] * stride + to[j]] += left[i * from + j];
  }
}

template <class Work>
void KktLu::in_parts(const Work& work) {
  if (!crew_) {
    work(parts_[0]);
    return;
  }
  crew_->run([&](int i) { work(parts_[static_cast<std::size_t>(i)]); });
}

void KktLu::factor(const Filler& filler, double shift, double dependent, Part& part) {
  part.pivots = {};
  const auto fill = [&](int f) {
    if (f == part.end) return;
    const Front& front = fronts_[f];
    double* a = values(front);
    std::fill_n(a, front.shape.values(), 0.0);
    filler.fill(f, a);
    if (shift != 0)
      for (int i = front.shape.bodies; i < front.shape.pivots; ++i)
        a[i * (front.shape.stride() + 1)] -= shift;
  };
  // The next one is filled before one is eliminated: single numbers that have just been written
  // cannot yet be read four at a time.
  fill(part.begin);
  for (int f = part.begin; f < part.end; ++f) {
    fill(f + 1);
    const Front& front = fronts_[f];
    take_from_below(front, values(front));
    eliminate_front(front, values(front), dependent, part);
  }
}

KktLu::Pivots KktLu::factor(const Filler& filler, double shift) { return factor(filler, shift, 0); }

KktLu::Pivots KktLu::factor_and_leave_out(const Filler& filler, double dependent) {
  return factor(filler, 0, dependent);
}

KktLu::Pivots KktLu::factor(const Filler& filler, double shift, double dependent) {
  std::fill(row_peak_.begin(), row_peak_.end(), 0.0);
  in_parts([&](Part& part) { factor(filler, shift, dependent, part); });
  Pivots all;
  for (const Part& part : parts_) all.add(part.pivots);
  return all;
}

void KktLu::solve(double* x, double* y) {
  double* w = ordered_.data();
  const int rows = static_cast<int>(to_order_.size()) - velocities_;
  for (int i = 0; i < velocities_; ++i) w[to_order_[i]] = x[i];
  for (int i = 0; i < rows; ++i) w[to_order_[velocities_ + i]] = y[i];
  in_parts([&](Part& part) {
    for (int f = part.begin; f < part.end; ++f) {
      const Front& front = fronts_[f];
      front.kernels->forward(front.shape, values(front), w + front.first, w,
                             border_.data() + front.border);
    }
    for (int f = part.end - 1; f >= part.begin; --f) {
      const Front& front = fronts_[f];
      front.kernels->backward(front.shape, values(front), w + front.first, w,
                              border_.data() + front.border);
    }
  });
  for (int i = 0; i < velocities_; ++i) x[i] = w[to_order_[i]];
  for (int i = 0; i < rows; ++i) y[i] = w[to_order_[velocities_ + i]];
}

}  // namespace taut
