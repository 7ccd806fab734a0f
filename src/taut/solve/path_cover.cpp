#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "taut/solve/path_factor.hpp"

namespace taut {
namespace {

constexpr double least_strength = 0.05;  // a weaker coupling is not worth keeping

struct Link {
  float strength;
  int first, second;
};

/// Sets of rows that are already joined.
class Joined {
 public:
  explicit Joined(std::size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int find(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  /// False if they were joined before.
  bool join(int i, int j) {
    i = find(i);
    j = find(j);
    parent_[i] = j;
    return i != j;
  }

 private:
  std::vector<int> parent_;
};

}  // namespace

// Greedy: the strongest couplings first, each row in at most two, no circles.
PathCover cover_with_paths(const SparseSymmetric& A, const std::vector<int>& rows) {
  const std::size_t size = static_cast<std::size_t>(A.size());
  std::vector<char> wanted(size, 0);
  for (const int row : rows) wanted[row] = 1;
  std::vector<Link> links;
  for (const int i : rows) {
    for (int p = A.row_begin[i]; p < A.row_begin[i + 1] - 1; ++p) {
      const int j = A.column[p];
      if (!wanted[j]) continue;
      const double scale = A.diagonal(i) * A.diagonal(j);
      const double strength = scale > 0 ? std::abs(A.value[p]) / std::sqrt(scale) : 0;
      if (strength > least_strength) links.push_back({static_cast<float>(strength), i, j});
    }
  }
  // Equally strong ones in the order of the rows, so that what is side by side stays so.
  std::stable_sort(links.begin(), links.end(),
                   [](const Link& a, const Link& b) { return a.strength > b.strength; });

  std::vector<std::array<int, 2>> neighbours(size, {-1, -1});
  Joined joined(size);
  for (const Link& link : links) {
    auto &first = neighbours[link.first], &second = neighbours[link.second];
    if (first[1] >= 0 || second[1] >= 0 || !joined.join(link.first, link.second)) continue;
    first[first[0] < 0 ? 0 : 1] = link.second;
    second[second[0] < 0 ? 0 : 1] = link.first;
  }

  PathCover cover;
  cover.order.reserve(rows.size());
  std::vector<char> done(size, 0);
  for (const int end : rows) {
    if (done[end] || neighbours[end][1] >= 0)
      continue;  // inside a path: its ends come on their own
    for (int row = end; row >= 0;) {
      done[row] = 1;
      cover.order.push_back(row);
      const auto& [first, second] = neighbours[row];
      row = first >= 0 && !done[first] ? first : second >= 0 && !done[second] ? second : -1;
    }
    cover.begin.push_back(static_cast<int>(cover.order.size()));
  }
  return cover;
}

}  // namespace taut
