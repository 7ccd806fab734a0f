// The plan of a KktLu: the order of elimination and the fronts.
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <numeric>

#include "taut/base/error.hpp"
#include "taut/base/parallel.hpp"
#include "taut/solve/kkt_lu.hpp"

namespace taut {
namespace {

using Neighbours = std::vector<std::vector<int>>;

Neighbours neighbours_of_bodies(const KktPattern& pattern) {
  Neighbours neighbours(pattern.body_size.size());
  const auto join = [&](int a, int b) {
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
  };
  for (const KktPattern::Group& group : pattern.groups)
    for (std::size_t i = 0; i < group.bodies.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) join(group.bodies[i], group.bodies[j]);
  for (const auto& [a, b] : pattern.couplings)
    if (a != b) join(a, b);
  for (std::vector<int>& list : neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return neighbours;
}

/// The nodes of an island in an order that keeps fill small.
std::vector<int> minimum_degree(const Neighbours& neighbours, const std::vector<int>& island) {
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
  std::vector<int> order;
  for (int i = 0; i < n; ++i) order.push_back(island[permutation.indices()[i]]);
  return order;
}

}  // namespace

// Island by island: a tree from its leaves to a root, which leaves no fill; anything else by
// minimum degree. The root is a body that is held in the world, if there is one, so that what hangs
// on it is eliminated first.
std::vector<int> KktLu::order_bodies(const KktPattern& pattern) {
  const Neighbours neighbours = neighbours_of_bodies(pattern);
  const std::size_t n = neighbours.size();
  std::vector<char> held(n, 0), seen(n, 0);
  for (const KktPattern::Group& group : pattern.groups)
    if (group.bodies.size() == 1) held[group.bodies[0]] = 1;

  std::vector<int> order, island;
  islands_.assign(1, 0);
  is_tree_ = true;
  for (const char wanted : {1, 0}) {
    for (std::size_t root = 0; root < n; ++root) {
      if (seen[root] || held[root] < wanted) continue;
      // Depth first, so that a chain's bodies stay side by side in memory.
      std::vector<std::pair<int, int>> stack{{static_cast<int>(root), -1}};
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
        island = minimum_degree(neighbours, island);
      } else {
        std::reverse(island.begin(), island.end());
      }
      order.insert(order.end(), island.begin(), island.end());
      islands_.push_back(static_cast<int>(order.size()));
    }
  }
  return order;
}

void KktLu::analyze(const KktPattern& pattern) {
  const int bodies = static_cast<int>(pattern.body_size.size());
  const int nodes = bodies + static_cast<int>(pattern.groups.size());
  bodies_ = bodies;
  groups_ = pattern.groups;
  const std::vector<int> order = order_bodies(pattern);
  std::vector<int> turn(static_cast<std::size_t>(bodies));
  for (int i = 0; i < bodies; ++i) turn[order[i]] = i;

  // Which groups are eliminated with which body: with the first of its bodies, if that is held by
  // no other group that is still there; else with the last.
  std::vector<std::vector<int>> groups_of_front(bodies);
  std::vector<std::vector<int>> by_first(bodies);
  std::vector<int> waiting(bodies, 0);  // groups of each body that are not eliminated yet
  std::vector<int> last_of(groups_.size());
  std::vector<int> loose;  // rows that touch no body
  for (int g = 0; g < nodes - bodies; ++g) {
    const std::vector<int>& of = groups_[g].bodies;
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
      for (const int body : groups_[g].bodies) --waiting[body];
  }

  // What each node is tied to.
  const auto size_of = [&](int node) {
    return node < bodies ? pattern.body_size[node] : pattern.groups[node - bodies].rows;
  };
  Neighbours tied = neighbours_of_bodies(pattern);
  tied.resize(static_cast<std::size_t>(nodes));
  for (int g = 0; g < nodes - bodies; ++g)
    for (const int body : groups_[g].bodies) {
      tied[bodies + g].push_back(body);
      tied[body].push_back(bodies + g);
    }

  const int front_count = bodies + static_cast<int>(loose.size());
  front_of_.assign(static_cast<std::size_t>(nodes), 0);
  nodes_.assign(static_cast<std::size_t>(front_count), {});
  index_.assign(static_cast<std::size_t>(front_count), {});
  fronts_.assign(static_cast<std::size_t>(front_count), {});
  for (int f = 0; f < front_count; ++f) {
    auto& here = nodes_[f];
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
  std::vector<std::vector<int>> children(static_cast<std::size_t>(front_count));
  std::vector<std::size_t> pivot_nodes(static_cast<std::size_t>(front_count));
  std::vector<int> mark(static_cast<std::size_t>(nodes), -1);
  for (int f = 0; f < front_count; ++f) {
    auto& here = nodes_[f];
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
      const auto& below = nodes_[child];
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
  std::vector<int> start(static_cast<std::size_t>(nodes));  // of each node in that order
  int offset = 0, first = 0;
  for (int f = 0; f < front_count; ++f) {
    Front& front = fronts_[f];
    const auto& here = nodes_[f];
    front.offset = offset;
    front.first = first;
    front.bodies = here[0] < bodies ? size_of(here[0]) : 0;
    for (std::size_t i = 0; i < here.size(); ++i) {
      index_[f].push_back(front.size);
      if (i < pivot_nodes[f]) {
        start[here[i]] = first + front.size;
        front.pivots += size_of(here[i]);
      }
      front.size += size_of(here[i]);
    }
    first += front.pivots;
    offset += front.size * front.size;
  }
  values_.assign(static_cast<std::size_t>(offset), 0.0);
  ordered_.resize(first);
  border_.clear();
  relative_.clear();
  rows_.clear();
  row_peak_.assign(static_cast<std::size_t>(first), 0.0);
  relative_pivot_.assign(static_cast<std::size_t>(first), 1.0);
  out_.assign(static_cast<std::size_t>(first), 0);
  int largest = 0;
  for (int f = 0; f < front_count; ++f) {
    Front& front = fronts_[f];
    front.border = static_cast<int>(border_.size());
    front.relative = static_cast<int>(relative_.size());
    const auto& here = nodes_[f];
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
        for (int j = 0; j < size_of(here[i]); ++j) rows_.push_back(index_[f][i] + j);
    front.row_count = static_cast<int>(rows_.size()) - front.rows;
    front.is_link =
        front.bodies == 3 && front.pivots == 4 && front.size == 7 && front.row_count == 1;
    largest = std::max(largest, front.size);
    front.contiguous = front.size > front.pivots;
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
  constexpr std::size_t worthwhile = 100'000;
  const int islands = static_cast<int>(islands_.size()) - 1;
  const int most = values_.size() < worthwhile ? 1 : std::min(core_count(), islands);
  const int all = front_count();
  parts_.clear();
  const std::vector<double> scratch(static_cast<std::size_t>(largest_front));
  const auto end_of = [&](int island) { return island + 1 < islands ? islands_[island + 1] : all; };
  const auto numbers_before = [&](int front) {
    return front < all ? static_cast<std::size_t>(fronts_[front].offset) : values_.size();
  };
  for (int island = 0, part = 1; island < islands; ++island) {
    const int end = end_of(island);
    const bool is_last = island + 1 == islands;
    if (!is_last && numbers_before(end) * static_cast<std::size_t>(most) <
                        values_.size() * static_cast<std::size_t>(part))
      continue;
    const int begin = parts_.empty() ? 0 : parts_.back().end;
    parts_.push_back({begin, end, scratch, {}});
    part = static_cast<int>(parts_.size()) + 1;
  }
  if (parts_.empty()) parts_.push_back({0, all, scratch, {}});
  crew_ = parts_.size() > 1 ? std::make_shared<Crew>(static_cast<int>(parts_.size())) : nullptr;
}

}  // namespace taut
