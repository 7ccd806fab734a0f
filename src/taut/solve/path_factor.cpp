#include "taut/solve/path_factor.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace taut {
namespace {

constexpr double least_pivot = 1e-9;  // relative to the diagonal: rows that depend on others
constexpr int most_neighbours = 40;   // of a leaf: more make more work than they save

/// Both halves of a pattern.
struct RowGraph {
  explicit RowGraph(const SparseSymmetric& A) : begin(static_cast<std::size_t>(A.size()) + 1, 0) {
    const int n = A.size();
    const auto each = [&](const auto& visit) {
      for (int i = 0; i < n; ++i)
        for (int p = A.row_begin[i]; p < A.row_begin[i + 1] - 1; ++p) visit(i, A.column[p], p);
    };
    each([&](int i, int j, int) { ++begin[i + 1], ++begin[j + 1]; });
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    row.resize(static_cast<std::size_t>(begin.back()));
    source.resize(row.size());
    std::vector<int> next(begin.begin(), begin.end() - 1);
    const auto put = [&](int i, int j, int p) {
      row[next[i]] = j;
      source[next[i]++] = p;
    };
    // Rows ascend, so each list does: first the smaller numbers of its own row, then the larger.
    each([&](int i, int j, int p) { put(i, j, p); });
    each([&](int i, int j, int p) { put(j, i, p); });
  }

  /// Where row i's coupling with j is among all of them; −1: there is none.
  int find(int i, int j) const {
    const auto first = row.begin() + begin[i], last = row.begin() + begin[i + 1];
    const auto found = std::lower_bound(first, last, j);
    return found != last && *found == j ? static_cast<int>(found - row.begin()) : -1;
  }

  std::vector<int> begin, row, source;
};

/// Rows that can be eliminated without fill, in an order in which they can.
std::vector<int> find_leaves(const SparseSymmetric& A, const RowGraph& near) {
  std::vector<int> leaves, alive_near, queue(static_cast<std::size_t>(A.size()));
  std::vector<char> gone(queue.size(), 0), queued(queue.size(), 1);
  std::iota(queue.begin(), queue.end(), 0);
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const int i = queue[next];
    queued[i] = 0;
    if (gone[i]) continue;
    alive_near.clear();
    for (int p = near.begin[i]; p < near.begin[i + 1]; ++p)
      if (!gone[near.row[p]]) alive_near.push_back(near.row[p]);
    if (alive_near.size() > most_neighbours) continue;
    bool is_leaf = true;
    for (std::size_t a = 0; a < alive_near.size() && is_leaf; ++a)
      for (std::size_t b = a + 1; b < alive_near.size() && is_leaf; ++b)
        is_leaf = near.find(alive_near[a], alive_near[b]) >= 0;
    if (!is_leaf) continue;
    gone[i] = 1;
    leaves.push_back(i);
    for (const int j : alive_near) {
      if (!queued[j]) queue.push_back(j);
      queued[j] = 1;
    }
  }
  return leaves;
}

}  // namespace

void PathFactor::analyze(const SparseSymmetric& A) {
  leaves_ = find_leaves(A, RowGraph(A));
  std::vector<char> is_leaf(static_cast<std::size_t>(A.size()), 0);
  for (const int leaf : leaves_) is_leaf[leaf] = 1;
  core_.clear();
  for (int i = 0; i < A.size(); ++i)
    if (!is_leaf[i]) core_.push_back(i);
  forget_paths();
}

// Where everything is, and what the elimination of each leaf changes. Couplings within the core
// that are on no path are left out.
void PathFactor::plan(const SparseSymmetric& A) {
  const RowGraph near(A);
  const int leaves = static_cast<int>(leaves_.size()), core = core_size();
  std::vector<int> rank(static_cast<std::size_t>(A.size()));  // in the order of elimination
  for (int k = 0; k < leaves; ++k) rank[leaves_[k]] = k;
  for (int k = 0; k < core; ++k) rank[core_[k]] = leaves + k;
  place_.assign(rank.size(), -1);
  for (int k = 0; k < core; ++k) place_[core_[k]] = k;
  std::vector<char> begins(static_cast<std::size_t>(core) + 1, 0);
  for (const int begin : path_begin_) begins[begin] = 1;

  leaf_source_.clear();
  entries_.clear();
  entry_begin_.assign(1, 0);
  std::vector<int> target(near.row.size(), -1);  // per coupling of a leaf, seen from the leaf
  for (const int leaf : leaves_) {
    leaf_source_.push_back(A.row_begin[leaf + 1] - 1);
    for (int p = near.begin[leaf]; p < near.begin[leaf + 1]; ++p) {
      if (rank[near.row[p]] < rank[leaf]) continue;
      target[p] = static_cast<int>(entries_.size());
      entries_.push_back({near.row[p], near.source[p], target[p]});
    }
    entry_begin_.push_back(static_cast<int>(entries_.size()));
  }
  const int couplings = static_cast<int>(entries_.size());
  const int core_diagonals = couplings + leaves, core_couplings = core_diagonals + core;
  diagonal_.clear();
  coupling_.clear();
  for (int k = 0; k < core; ++k) {
    const int i = core_[k];
    diagonal_.push_back(A.row_begin[i + 1] - 1);
    const int p = begins[k] ? -1 : near.find(i, core_[k - 1]);
    coupling_.push_back(p < 0 ? -1 : near.source[p]);
  }
  reads_ = leaf_source_;
  for (const LeafEntry& entry : entries_) reads_.push_back(entry.source);
  for (const auto* of_core : {&diagonal_, &coupling_})
    std::copy_if(of_core->begin(), of_core->end(), std::back_inserter(reads_),
                 [](int source) { return source >= 0; });
  std::sort(reads_.begin(), reads_.end());

  const auto place = [&](int i, int j) {  // of A_ij among the values; −1: left out
    if (rank[i] > rank[j]) std::swap(i, j);
    if (i == j) return rank[i] < leaves ? couplings + rank[i] : core_diagonals + rank[i] - leaves;
    if (rank[i] < leaves) return target[near.find(i, j)];
    return rank[j] == rank[i] + 1 && !begins[rank[j] - leaves] ? core_couplings + rank[j] - leaves
                                                               : -1;
  };
  updates_.clear();
  update_begin_.assign(1, 0);
  for (int k = 0; k < leaves; ++k) {
    for (int a = entry_begin_[k]; a < entry_begin_[k + 1]; ++a)
      for (int b = entry_begin_[k]; b <= a; ++b)
        if (const int where = place(entries_[a].row, entries_[b].row); where >= 0)
          updates_.push_back({where, a, b});
    update_begin_.push_back(static_cast<int>(updates_.size()));
  }
  factors_.value.assign(static_cast<std::size_t>(core_couplings + core), 0);
  factors_.inverse_pivot.assign(static_cast<std::size_t>(leaves + core), 0);
  factors_.lower.assign(static_cast<std::size_t>(core), 0);
  scratch_.setZero(core);
  for (int lane = 0; lane < lanes; ++lane)
    lane_begin_[lane] = *std::lower_bound(path_begin_.begin(), path_begin_.end(),
                                          static_cast<int>(static_cast<long>(core) * lane / lanes));
  lane_begin_[lanes] = core;
}

void PathFactor::factor(const SparseSymmetric& A) {
  if (!has_paths_) {
    PathCover cover = cover_with_paths(A, core_);
    core_ = std::move(cover.order);
    path_begin_ = std::move(cover.begin);
    plan(A);
    has_paths_ = true;
  }
  auto& [value, inverse_pivot, lower] = factors_;
  const int couplings = static_cast<int>(entries_.size());
  const int leaves = static_cast<int>(leaves_.size()), core = core_size();
  double* leaf_diagonal = value.data() + couplings;
  double* diagonal = leaf_diagonal + leaves;
  double* coupling = diagonal + core;
  for (int e = 0; e < couplings; ++e) value[e] = A.value[entries_[e].source];
  for (int k = 0; k < leaves; ++k) leaf_diagonal[k] = A.value[leaf_source_[k]];
  for (int k = 0; k < core; ++k) {
    diagonal[k] = A.value[diagonal_[k]];
    coupling[k] = coupling_[k] < 0 ? 0 : A.value[coupling_[k]];
  }

  // A row that depends on others counts as if it were alone: with what is left of it, a few of them
  // that hang together, as edges between pinned vertices do, would grow beyond all numbers.
  const auto inverse = [](double pivot, double of) {
    return pivot > least_pivot * of ? 1 / pivot : of > 0 ? 1 / of : 0;
  };
  for (int k = 0; k < leaves; ++k) {
    const double over = inverse(leaf_diagonal[k], A.value[leaf_source_[k]]);
    inverse_pivot[k] = over;
    for (int u = update_begin_[k]; u < update_begin_[k + 1]; ++u)
      value[updates_[u].target] -= value[updates_[u].first] * value[updates_[u].second] * over;
  }
  double over = 0;  // 1/pivot of the row before; no coupling with it where a path begins
  for (int k = 0; k < core; ++k) {
    lower[k] = coupling[k] * over;
    over = inverse(diagonal[k] - lower[k] * coupling[k], A.value[diagonal_[k]]);
    inverse_pivot[leaves + k] = over;
  }
}

std::array<PathFactor::Side, 2> PathFactor::sides(int row) const {
  std::array<Side, 2> found{Side{-1, 0}, Side{-1, 0}};
  const int k = place_[row];
  if (k < 0) return found;
  const double* diagonal = factors_.value.data() + entries_.size() + leaves_.size();
  const double* coupling = diagonal + core_.size();
  const auto end = std::upper_bound(path_begin_.begin(), path_begin_.end(), k);
  if (k > *(end - 1)) found[0] = {core_[k - 1], factors_.lower[k] * coupling[k]};
  // The factors begin at the other end of the path.
  double share = 0;
  for (int i = *end - 1; i > k; --i) {
    const double pivot = diagonal[i] - share;
    share = pivot > least_pivot * diagonal[i] ? coupling[i] * coupling[i] / pivot : 0;
    found[1] = {core_[i], share};
  }
  return found;
}

double PathFactor::left_out(const SparseSymmetric& A) const {
  std::vector<char> is_core(static_cast<std::size_t>(A.size()), 0);
  for (const int row : core_) is_core[row] = 1;
  const auto strength = [&](int i, int p) {
    const double scale = A.diagonal(i) * A.diagonal(A.column[p]);
    return scale > 0 ? std::abs(A.value[p]) / std::sqrt(scale) : 0;
  };
  double sum = 0;
  for (const int i : core_)
    for (int p = A.row_begin[i]; p < A.row_begin[i + 1] - 1; ++p)
      if (is_core[A.column[p]]) sum += strength(i, p);
  for (std::size_t k = 1; k < coupling_.size(); ++k)
    if (coupling_[k] >= 0) sum -= strength(std::max(core_[k], core_[k - 1]), coupling_[k]);
  return core_.empty() ? 0 : 2 * sum / static_cast<double>(core_.size());
}

// Leaves, the paths forwards, backwards, and leaves again.
template <class Number>
void PathFactor::solve_in_place(Number* z, const Factors<Number>& factors, Number* y) const {
  const int leaves = static_cast<int>(leaves_.size());
  const Number* value = factors.value.data();
  const Number* lower = factors.lower.data();
  const Number* over = factors.inverse_pivot.data() + leaves;
  for (int k = 0; k < leaves; ++k) {
    const Number part = z[leaves_[k]] * factors.inverse_pivot[k];
    for (int e = entry_begin_[k]; e < entry_begin_[k + 1]; ++e)
      z[entries_[e].row] -= value[e] * part;
  }
  int together = core_size();
  for (int lane = 0; lane < lanes; ++lane)
    together = std::min(together, lane_begin_[lane + 1] - lane_begin_[lane]);
  std::array<Number, lanes> last{};
  const auto forwards = [&](int lane, int k) {
    y[k] = last[lane] = z[core_[k]] - lower[k] * last[lane];
  };
  for (int i = 0; i < together; ++i)
    for (int lane = 0; lane < lanes; ++lane) forwards(lane, lane_begin_[lane] + i);
  for (int lane = 0; lane < lanes; ++lane)
    for (int k = lane_begin_[lane] + together; k < lane_begin_[lane + 1]; ++k) forwards(lane, k);

  last.fill(0);
  std::array<Number, lanes> factor{};  // of the row after, by which it takes part in this one
  const auto backwards = [&](int lane, int k) {
    z[core_[k]] = last[lane] = y[k] * over[k] - factor[lane] * last[lane];
    factor[lane] = lower[k];
  };
  for (int i = 1; i <= together; ++i)
    for (int lane = 0; lane < lanes; ++lane) backwards(lane, lane_begin_[lane + 1] - i);
  for (int lane = 0; lane < lanes; ++lane)
    for (int k = lane_begin_[lane + 1] - together - 1; k >= lane_begin_[lane]; --k)
      backwards(lane, k);

  for (int k = leaves - 1; k >= 0; --k) {
    Number sum = z[leaves_[k]];
    for (int e = entry_begin_[k]; e < entry_begin_[k + 1]; ++e)
      sum -= value[e] * z[entries_[e].row];
    z[leaves_[k]] = sum * factors.inverse_pivot[k];
  }
}

void PathFactor::solve(const VecX& r, VecX& z) const {
  z = r;
  solve_in_place(z.data(), factors_, scratch_.data());
}

void PathFactor::solve(VecX& z) const { solve_in_place(z.data(), factors_, scratch_.data()); }

void PathFactor::solve(Eigen::VectorXf& z) const {
  solve_in_place(z.data(), rounded_, rounded_scratch_.data());
}

void PathFactor::round_off() {
  const auto round = [](const std::vector<double>& from, std::vector<float>& to) {
    to.assign(from.begin(), from.end());
  };
  round(factors_.value, rounded_.value);
  round(factors_.inverse_pivot, rounded_.inverse_pivot);
  round(factors_.lower, rounded_.lower);
  rounded_scratch_.resize(core_size());
}

}  // namespace taut
