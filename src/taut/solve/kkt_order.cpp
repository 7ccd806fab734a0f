// The plan of a KktLu: the order of elimination and the fronts.
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <bit>
#include <cstdint>

#include "taut/base/error.hpp"
#include "taut/base/parallel.hpp"
#include "taut/base/scratch_memory.hpp"
#include "taut/solve/kkt_lu.hpp"

namespace taut {
namespace {

using List = std::pmr::vector<int>;
using Lists = std::pmr::vector<List>;

Lists neighbours_of_bodies(const KktPattern& pattern, ScratchMemory& memory) {
  Lists neighbours(pattern.body_size.size(), &memory);
  const auto join = [&](int a, int b) {
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
  };
  for (const KktPattern::Group& group : pattern.groups)
    for (std::size_t i = 0; i < group.bodies.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) join(group.bodies[i], group.bodies[j]);
  for (const auto& [a, b] : pattern.couplings)
    if (a != b) join(a, b);
  for (List& list : neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return neighbours;
}

/// The nodes of an island in an order that keeps fill small.
void by_approximate_degree(const Lists& neighbours, List& island) {
  std::vector<int> number(neighbours.size(), -1);
  const int n = static_cast<int>(island.size());
  for (int i = 0; i < n; ++i) number[island[i]] = i;
  std::vector<Eigen::Triplet<double, int>> entries;
  for (int i = 0; i < n; ++i) {
    entries.emplace_back(i, i, 1.0);
    for (const int j : neighbours[island[i]])
      if (number[j] < i) entries.emplace_back(i, number[j], 1.0);
  }
  Eigen::SparseMatrix<double> lower(n, n);
  lower.setFromTriplets(entries.begin(), entries.end());
  Eigen::AMDOrdering<int>::PermutationType permutation;
  Eigen::AMDOrdering<int>()(lower.selfadjointView<Eigen::Lower>(), permutation);
  const std::vector<int> nodes(island.begin(), island.end());
  for (int i = 0; i < n; ++i) island[i] = nodes[permutation.indices()[i]];
}

constexpr std::size_t few = 64;  // the neighbours of each are the bits of a number

/// The same for few nodes, which needs no more memory.
void by_degree(const Lists& neighbours, List& island) {
  std::uint64_t tied[few] = {};
  int nodes[few];
  std::copy(island.begin(), island.end(), nodes);  // sorted
  const std::size_t n = island.size();
  for (std::size_t i = 0; i < n; ++i)
    for (const int other : neighbours[nodes[i]])
      tied[i] |= std::uint64_t{1} << (std::lower_bound(nodes, nodes + n, other) - nodes);
  std::uint64_t left = n == few ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
  for (int& place : island) {
    int next = -1;
    for (std::uint64_t rest = left; rest != 0; rest &= rest - 1) {
      const int i = std::countr_zero(rest);
      if (next < 0 || std::popcount(tied[i]) < std::popcount(tied[next])) next = i;
    }
    place = nodes[next];
    const std::uint64_t bit = std::uint64_t{1} << next;
    left &= ~bit;
    // What is eliminated ties its neighbours to each other.
    for (std::uint64_t rest = tied[next]; rest != 0; rest &= rest - 1) {
      const int i = std::countr_zero(rest);
      tied[i] = (tied[i] | tied[next]) & ~(bit | std::uint64_t{1} << i);
    }
  }
}

}  // namespace

// Island by island: a tree from its leaves to a root, which leaves no fill; anything else by
// minimum degree. The root is a body that is held in the world, if there is one, so that what hangs
// on it is eliminated first.
void KktLu::order_bodies(const KktPattern& pattern, std::pmr::vector<int>& order) {
  const Lists neighbours = neighbours_of_bodies(pattern, *memory_);
  const std::size_t n = neighbours.size();
  std::pmr::vector<char> held(n, 0, memory_.get()), seen(n, 0, memory_.get());
  for (const KktPattern::Group& group : pattern.groups)
    if (group.bodies.size() == 1) held[group.bodies[0]] = 1;

  List island(memory_.get());
  std::pmr::vector<std::pair<int, int>> stack(memory_.get());
  islands_.assign(1, 0);
  is_tree_ = true;
  for (const char wanted : {1, 0}) {
    for (std::size_t root = 0; root < n; ++root) {
      if (seen[root] || held[root] < wanted) continue;
      // Depth first, so that a chain's bodies stay side by side in memory.
      stack.emplace_back(static_cast<int>(root), -1);
      seen[root] = 1;
      island.clear();
      bool has_loop = false;
      while (!stack.empty()) {
        const auto [body, parent] = stack.back();
        stack.pop_back();
        island.push_back(body);
        for (const int next : neighbours[body]) {
          if (next == parent) continue;
          if (seen[next]) {
            has_loop = true;
            continue;
          }
          seen[next] = 1;
          stack.emplace_back(next, body);
        }
      }
      if (has_loop) {
        is_tree_ = false;
        std::sort(island.begin(), island.end());
        if (pattern.changes_often && island.size() <= few)
          by_degree(neighbours, island);
        else
          by_approximate_degree(neighbours, island);
      } else {
        std::reverse(island.begin(), island.end());
      }
      order.insert(order.end(), island.begin(), island.end());
      islands_.push_back(static_cast<int>(order.size()));
    }
  }
}

void KktLu::analyze(const KktPattern& pattern) {
  if (!memory_) memory_ = std::make_shared<ScratchMemory>();
  const ScratchMemory::Use use(*memory_);
  std::pmr::memory_resource* const memory = memory_.get();
  const int bodies = static_cast<int>(pattern.body_size.size());
  const int nodes = bodies + static_cast<int>(pattern.groups.size());
  bodies_ = bodies;
  group_bodies_.clear();
  first_in_group_.clear();
  for (const KktPattern::Group& group : pattern.groups) {
    first_in_group_.push_back(static_cast<int>(group_bodies_.size()));
    group_bodies_.insert(group_bodies_.end(), group.bodies.begin(), group.bodies.end());
  }
  List order(memory);
  order_bodies(pattern, order);
  List turn(static_cast<std::size_t>(bodies), memory);
  for (int i = 0; i < bodies; ++i) turn[order[i]] = i;

  // Which groups are eliminated with which body: with the first of its bodies, if that is held by
  // no other group that is still there; else with the last.
  Lists groups_of_front(bodies, memory), by_first(bodies, memory);
  List waiting(bodies, 0, memory);  // groups of each body that are not eliminated yet
  List last_of(pattern.groups.size(), memory);
  List loose(memory);  // rows that touch no body
  for (int g = 0; g < nodes - bodies; ++g) {
    const std::vector<int>& of = pattern.groups[g].bodies;
    if (of.empty()) {
      loose.push_back(g);
      continue;
    }
    const auto earlier = [&](int a, int b) { return turn[a] < turn[b]; };
    by_first[turn[*std::min_element(of.begin(), of.end(), earlier)]].push_back(g);
    last_of[g] = turn[*std::max_element(of.begin(), of.end(), earlier)];
    for (const int body : of) ++waiting[body];
  }
  for (int front = 0; front < bodies; ++front) {
    auto& here = groups_of_front[front];
    for (const int g : by_first[front]) {
      if (last_of[g] == front || waiting[order[front]] == 1) {
        here.push_back(g);
      } else {
        groups_of_front[last_of[g]].push_back(g);
      }
    }
    for (const int g : here)
      for (const int body : pattern.groups[g].bodies) --waiting[body];
  }

  // What each node is tied to.
  const auto size_of = [&](int node) {
    return node < bodies ? pattern.body_size[node] : pattern.groups[node - bodies].rows;
  };
  Lists tied = neighbours_of_bodies(pattern, *memory_);
  tied.resize(static_cast<std::size_t>(nodes));
  for (int g = 0; g < nodes - bodies; ++g)
    for (const int body : pattern.groups[g].bodies) {
      tied[bodies + g].push_back(body);
      tied[body].push_back(bodies + g);
    }

  const int front_count = bodies + static_cast<int>(loose.size());
  assign_with_room(front_of_, static_cast<std::size_t>(nodes), 0);
  assign_with_room(fronts_, static_cast<std::size_t>(front_count), Front{});
  Lists nodes_of(static_cast<std::size_t>(front_count), memory);  // pivots first
  for (int f = 0; f < front_count; ++f) {
    List& here = nodes_of[f];
    if (f < bodies) {
      here.push_back(order[f]);
      for (const int g : groups_of_front[f]) here.push_back(bodies + g);
    } else {
      here.push_back(bodies + loose[f - bodies]);
    }
    for (const int node : here) front_of_[node] = f;
  }

  // The border of a front: what its pivots are tied to, and the borders of the fronts below it, as
  // far as it is eliminated later.
  Lists children(static_cast<std::size_t>(front_count), memory);
  std::pmr::vector<std::size_t> pivot_nodes(static_cast<std::size_t>(front_count), memory);
  List mark(static_cast<std::size_t>(nodes), -1, memory);
  for (int f = 0; f < front_count; ++f) {
    List& here = nodes_of[f];
    const std::size_t own = here.size();
    pivot_nodes[f] = own;
    for (const int node : here) mark[node] = f;
    const auto add = [&](int node) {
      if (mark[node] == f || front_of_[node] < f) return;
      mark[node] = f;
      here.push_back(node);
    };
    for (std::size_t i = 0; i < own; ++i)
      for (const int node : tied[here[i]]) add(node);
    for (const int child : children[f]) {
      const List& below = nodes_of[child];
      for (std::size_t i = pivot_nodes[child]; i < below.size(); ++i) add(below[i]);
    }
    std::sort(here.begin() + static_cast<long>(own), here.end(), [&](int a, int b) {
      const int fa = front_of_[a], fb = front_of_[b];
      return fa != fb ? fa < fb : a < b;
    });
    if (here.size() > own) {
      const int parent = front_of_[here[own]];
      fronts_[f].parent = parent;
      children[parent].push_back(f);
    }
  }

  children_.clear();
  for (int f = 0; f < front_count; ++f) {
    fronts_[f].children = static_cast<int>(children_.size());
    fronts_[f].child_count = static_cast<int>(children[f].size());
    children_.insert(children_.end(), children[f].begin(), children[f].end());
  }

  // Numbers: positions in fronts, in memory and in the order of elimination.
  List start(static_cast<std::size_t>(nodes), memory);  // of each node in that order
  nodes_.clear();
  index_.clear();
  int offset = 0, first = 0;
  for (int f = 0; f < front_count; ++f) {
    Front& front = fronts_[f];
    const List& here = nodes_of[f];
    front.offset = offset;
    front.first = first;
    front.nodes = static_cast<int>(nodes_.size());
    front.node_count = static_cast<int>(here.size());
    nodes_.insert(nodes_.end(), here.begin(), here.end());
    FrontShape& shape = front.shape;
    shape.bodies = here[0] < bodies ? size_of(here[0]) : 0;
    for (std::size_t i = 0; i < here.size(); ++i) {
      index_.push_back(shape.size);
      if (i < pivot_nodes[f]) {
        start[here[i]] = first + shape.size;
        shape.pivots += size_of(here[i]);
      }
      shape.size += size_of(here[i]);
    }
    front.kernels = &front_kernels(shape);
    first += shape.pivots;
    offset += shape.values() / FrontShape::lanes;
  }
  assign_with_room(values_, static_cast<std::size_t>(offset), Four{});
  assign_with_room(ordered_, static_cast<std::size_t>(first), 0.0);
  border_.clear();
  relative_.clear();
  rows_.clear();
  assign_with_room(row_peak_, static_cast<std::size_t>(first), 0.0);
  assign_with_room(relative_pivot_, static_cast<std::size_t>(first), 1.0);
  assign_with_room(out_, static_cast<std::size_t>(first), char{0});
  int largest = 0;
  for (int f = 0; f < front_count; ++f) {
    Front& front = fronts_[f];
    front.border = static_cast<int>(border_.size());
    front.relative = static_cast<int>(relative_.size());
    const List& here = nodes_of[f];
    for (std::size_t i = pivot_nodes[f]; i < here.size(); ++i) {
      const int in_parent = index_in(front.parent, here[i]);
      for (int j = 0; j < size_of(here[i]); ++j) {
        border_.push_back(start[here[i]] + j);
        relative_.push_back(in_parent + j);
      }
    }
    front.rows = static_cast<int>(rows_.size());
    for (std::size_t i = 0; i < here.size(); ++i)
      if (here[i] >= bodies)
        for (int j = 0; j < size_of(here[i]); ++j)
          rows_.push_back(index_[front.nodes + static_cast<int>(i)] + j);
    front.row_count = static_cast<int>(rows_.size()) - front.rows;
    largest = std::max(largest, front.shape.size);
    front.contiguous = front.shape.size > front.shape.pivots;
    for (std::size_t i = front.relative + 1; i < relative_.size(); ++i)
      front.contiguous = front.contiguous && relative_[i] == relative_[i - 1] + 1;
  }

  share_work(largest);
  to_order_.clear();
  velocities_ = 0;
  for (int node = 0; node < nodes; ++node) {
    if (node < bodies) velocities_ += size_of(node);
    for (int j = 0; j < size_of(node); ++j) to_order_.push_back(start[node] + j);
  }
}

// Islands in as many parts of about the same size as there are cores, where that pays: waking a
// thread takes some 10 µs, which is what a few thousand numbers cost.
void KktLu::share_work(int largest_front) {
  constexpr std::size_t worthwhile = 100'000 / FrontShape::lanes;  // fours
  const int islands = static_cast<int>(islands_.size()) - 1;
  const int most = values_.size() < worthwhile ? 1 : std::min(core_count(), islands);
  const int all = front_count();
  int count = 0, begin = 0;
  const auto end_of = [&](int island) { return island + 1 < islands ? islands_[island + 1] : all; };
  const auto numbers_before = [&](int front) {
    return front < all ? static_cast<std::size_t>(fronts_[front].offset) : values_.size();
  };
  const auto add_part = [&](int end) {
    if (parts_.size() == static_cast<std::size_t>(count)) parts_.emplace_back();
    Part& part = parts_[static_cast<std::size_t>(count++)];
    part.begin = begin;
    part.end = begin = end;
    assign_with_room(part.peak, static_cast<std::size_t>(largest_front), 0.0);
  };
  for (int island = 0; island < islands; ++island) {
    const int end = end_of(island);
    const bool is_last = island + 1 == islands;
    if (!is_last && numbers_before(end) * static_cast<std::size_t>(most) <
                        values_.size() * static_cast<std::size_t>(count + 1))
      continue;
    add_part(end);
  }
  if (count == 0) add_part(all);
  parts_.resize(static_cast<std::size_t>(count));
  crew_ = parts_.size() > 1 ? std::make_shared<Crew>(static_cast<int>(parts_.size())) : nullptr;
}

}  // namespace taut
