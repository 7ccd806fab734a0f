// The plan of a ConeMatrix: which block goes where.
#include <algorithm>
#include <utility>

#include "taut/base/error.hpp"
#include "taut/base/scratch_memory.hpp"
#include "taut/solve/cone_matrix.hpp"

namespace taut {

void RowGroups::clear() {
  rows.clear();
  first_body.assign(1, 0);
  bodies.clear();
}

void RowGroups::reserve(std::size_t groups) {
  make_room(rows, groups);
  make_room(first_body, groups + 1);
  make_room(bodies, 2 * groups);
}

void RowGroups::add(int row_count, std::span<const int> of_bodies) {
  rows.push_back(row_count);
  bodies.insert(bodies.end(), of_bodies.begin(), of_bodies.end());
  first_body.push_back(static_cast<int>(bodies.size()));
}

namespace {

void check_bodies(const RowGroups& groups, int bodies) {
  for (int g = 0; g < groups.count(); ++g) {
    const auto of_group = groups.bodies_of(g);
    for (std::size_t i = 0; i < of_group.size(); ++i) {
      TAUT_CHECK(of_group[i] >= 0 && of_group[i] < bodies);
      for (std::size_t j = 0; j < i; ++j) TAUT_CHECK(of_group[i] != of_group[j]);
    }
  }
}

/// Sorts by front, and notes where each front begins.
template <class Found, class Entry>
void by_front(const Found& found, int fronts, std::vector<int>& first,
              std::vector<Entry>& entries) {
  assign_with_room(first, static_cast<std::size_t>(fronts) + 1, 0);
  for (const auto& [front, entry] : found) ++first[static_cast<std::size_t>(front) + 1];
  for (std::size_t f = 1; f < first.size(); ++f) first[f] += first[f - 1];
  entries.resize(found.size());
  for (const auto& [front, entry] : found)
    entries[static_cast<std::size_t>(first[static_cast<std::size_t>(front)]++)] = entry;
  std::rotate(first.begin(), first.end() - 1, first.end());  // each has become the next one's
  first.front() = 0;
}

}  // namespace

void ConeMatrix::analyze(const ConePattern& pattern) {
  const std::size_t bodies = pattern.body_size.size();
  check_bodies(pattern.equations, static_cast<int>(bodies));
  check_bodies(pattern.groups, static_cast<int>(bodies));
  const bool same_bodies = pattern.body_size == pattern_.body_size &&
                           pattern.couplings == pattern_.couplings &&
                           pattern.equations == pattern_.equations && !first_block_.empty();
  if (same_bodies && pattern.groups == pattern_.groups) return;
  known_.is_set = known_.has_factors = known_.has_responses = false;
  const std::size_t groups = pattern.groups.rows.size(), links = pattern.groups.bodies.size();
  pattern_.groups.reserve(groups);
  pattern_ = pattern;
  make_room(first_row_, groups + 1);
  make_room(first_in_G_, groups + 1);
  make_room(first_slot_, groups);
  make_room(links_, links);
  make_room(slots_, 2 * links);
  for (auto* pairs : {&found_pairs_, &pairs_}) make_room(*pairs, pattern.couplings.size() + links);
  make_room(pair_block_, pattern.couplings.size() + links);

  // Numbers of velocities and rows; where the blocks of J and H are.
  const auto sums = [](const std::vector<int>& sizes, std::vector<int>& first) {
    first.assign(1, 0);
    for (const int size : sizes) first.push_back(first.back() + size);
  };
  sums(pattern_.body_size, first_velocity_);
  sums(pattern_.groups.rows, first_row_);
  sums(pattern_.equations.rows, first_equation_);
  first_in_G_.assign(1, 0);
  links_.clear();
  int value = 0;
  for (int g = 0; g < pattern_.groups.count(); ++g) {
    const int rows = pattern_.groups.rows[static_cast<std::size_t>(g)];
    TAUT_CHECK(rows == 1 || rows == 3 || rows == 6);
    first_in_G_.push_back(first_in_G_.back() + static_cast<std::size_t>(rows * rows));
    for (const int body : pattern_.groups.bodies_of(g)) {
      const int size = pattern_.body_size[static_cast<std::size_t>(body)];
      TAUT_CHECK(size >= 1 && size <= 6);
      links_.push_back(
          {body, first_velocity_[static_cast<std::size_t>(body)], value, static_cast<short>(size)});
      value += rows * size;
    }
  }
  numbers_of_H_ = value;
  equation_value_.clear();
  value = 0;
  for (int g = 0; g < pattern_.equations.count(); ++g)
    for (const int body : pattern_.equations.bodies_of(g)) {
      equation_value_.push_back(value);
      value += pattern_.equations.rows[static_cast<std::size_t>(g)] *
               pattern_.body_size[static_cast<std::size_t>(body)];
    }
  numbers_of_J_ = value;

  list_pairs();
  const bool same_pairs = same_bodies && found_pairs_ == pairs_;
  pairs_ = found_pairs_;

  int storage = 0;
  first_block_.clear();
  for (const int size : pattern_.body_size) {
    first_block_.push_back(storage);
    storage += size * size;
  }
  pair_block_.clear();
  for (const auto& [a, b] : pairs_) {
    pair_block_.push_back(storage);
    storage += 2 * pattern_.body_size[static_cast<std::size_t>(a)] *
               pattern_.body_size[static_cast<std::size_t>(b)];
  }
  const auto block_between = [&](int row, int column) {
    if (row == column) return first_block_[static_cast<std::size_t>(row)];
    const std::array<int, 2> pair{std::min(row, column), std::max(row, column)};
    const auto at = std::lower_bound(pairs_.begin(), pairs_.end(), pair) - pairs_.begin();
    const int half = pattern_.body_size[static_cast<std::size_t>(row)] *
                     pattern_.body_size[static_cast<std::size_t>(column)];
    return pair_block_[static_cast<std::size_t>(at)] + (row < column ? 0 : half);
  };
  slots_.clear();
  first_slot_.clear();
  for (int g = 0; g < pattern_.groups.count(); ++g) {
    first_slot_.push_back(static_cast<int>(slots_.size()));
    for (const int a : pattern_.groups.bodies_of(g))
      for (const int b : pattern_.groups.bodies_of(g)) slots_.push_back(block_between(a, b));
  }
  coupling_block_.clear();
  numbers_of_M_ = pair_block_.empty() ? storage : pair_block_.front();
  for (const auto& [a, b] : pattern_.couplings) {
    coupling_block_.push_back({block_between(a, b), block_between(b, a)});
    numbers_of_M_ += pattern_.body_size[static_cast<std::size_t>(a)] *
                     pattern_.body_size[static_cast<std::size_t>(b)];
  }
  assign_with_room(masses_, static_cast<std::size_t>(storage), 0.0);
  assign_with_room(factor_, static_cast<std::size_t>(storage), 0.0);
  x_.resize(velocities());
  y_.resize(equations());
  residual_.resize(equations());
  const bool was_small = is_small_;
  is_small_ = pattern_.equations.count() == 0 &&
              pattern_.body_size.size() <= std::size_t{ConeLu::most_bodies};
  if (!same_pairs || is_small_ != was_small)
    is_small_ ? analyze_small() : analyze_kkt(same_bodies && !was_small);
  assign_with_room(blocks_, static_cast<std::size_t>(is_small_ ? small_full_.storage() : storage),
                   0.0);
}

// Pairs of bodies with a block in M + HᵀGH.
void ConeMatrix::list_pairs() {
  found_pairs_.clear();
  const auto join = [&](int a, int b) { found_pairs_.push_back({std::min(a, b), std::max(a, b)}); };
  for (const auto& [a, b] : pattern_.couplings) join(a, b);
  for (int g = 0; g < pattern_.groups.count(); ++g) {
    const auto of_group = pattern_.groups.bodies_of(g);
    for (std::size_t i = 0; i < of_group.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) join(of_group[i], of_group[j]);
  }
  std::sort(found_pairs_.begin(), found_pairs_.end());
  found_pairs_.erase(std::unique(found_pairs_.begin(), found_pairs_.end()), found_pairs_.end());
}

void ConeMatrix::analyze_small() {
  const int storage = static_cast<int>(masses_.size());
  small_full_.analyze({pattern_.body_size, first_block_, pairs_, pair_block_, storage});
  free_pairs_.clear();
  free_pair_block_.clear();
  if (!pattern_.couplings.empty())
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      const auto is_pair = [&](const std::array<int, 2>& coupling) {
        return std::minmax(coupling[0], coupling[1]) == std::minmax(pairs_[p][0], pairs_[p][1]);
      };
      if (!std::any_of(pattern_.couplings.begin(), pattern_.couplings.end(), is_pair)) continue;
      free_pairs_.push_back(pairs_[p]);
      free_pair_block_.push_back(pair_block_[p]);
    }
  small_free_.analyze({pattern_.body_size, first_block_, free_pairs_, free_pair_block_, storage});
}

void ConeMatrix::analyze_kkt(bool same_bodies) {
  if (!same_bodies) {
    graph_.changes_often = true;
    graph_.body_size = pattern_.body_size;
    graph_.groups.resize(pattern_.equations.rows.size());
    for (int g = 0; g < pattern_.equations.count(); ++g) {
      const auto bodies = pattern_.equations.bodies_of(g);
      KktPattern::Group& group = graph_.groups[static_cast<std::size_t>(g)];
      group.bodies.assign(bodies.begin(), bodies.end());
      group.rows = pattern_.equations.rows[static_cast<std::size_t>(g)];
    }
    graph_.couplings = pattern_.couplings;
    free_.analyze(graph_);
  }
  plan(free_, false, free_plan_);
  graph_.couplings = pattern_.couplings;
  graph_.couplings.insert(graph_.couplings.end(), pairs_.begin(), pairs_.end());
  full_.analyze(graph_);
  plan(full_, true, full_plan_);
}

void ConeMatrix::plan(const KktLu& lu, bool with_groups, Plan& plan) {
  const auto size_of = [&](int body) {
    return static_cast<short>(pattern_.body_size[static_cast<std::size_t>(body)]);
  };
  auto& [blocks, rows, diagonal, couplings] = planned_;
  for (auto* list : {&blocks, &rows, &diagonal}) list->clear();
  const auto add_block = [&](int row, int column, int source) {
    const KktLu::Block to = lu.bodies(row, column);
    blocks.push_back({to.front,
                      {source, to.offset, static_cast<short>(to.stride), size_of(row),
                       size_of(column), size_of(column), false}});
  };
  for (int i = 0; i < static_cast<int>(pattern_.body_size.size()); ++i)
    add_block(i, i, first_block_[static_cast<std::size_t>(i)]);
  couplings.clear();
  for (const auto& [a, b] : pattern_.couplings)
    couplings.push_back({std::min(a, b), std::max(a, b)});
  std::sort(couplings.begin(), couplings.end());
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    if (!with_groups && !std::binary_search(couplings.begin(), couplings.end(), pairs_[p]))
      continue;
    const auto [a, b] = pairs_[p];
    add_block(a, b, pair_block_[p]);
    add_block(b, a, pair_block_[p] + size_of(a) * size_of(b));
  }
  for (int g = 0, link = 0; g < pattern_.equations.count(); ++g) {
    const auto count = static_cast<short>(pattern_.equations.rows[static_cast<std::size_t>(g)]);
    const auto of_group = pattern_.equations.bodies_of(g);
    for (int k = 0; k < static_cast<int>(of_group.size()); ++k, ++link) {
      const short size = size_of(of_group[static_cast<std::size_t>(k)]);
      const int source = equation_value_[static_cast<std::size_t>(link)];
      const KktLu::Block J = lu.rows(g, k), transposed = lu.columns(g, k);
      rows.push_back(
          {J.front, {source, J.offset, static_cast<short>(J.stride), count, size, size, false}});
      rows.push_back({transposed.front,
                      {source, transposed.offset, static_cast<short>(transposed.stride), size,
                       count, size, true}});
    }
    const KktLu::Block own = lu.group(g);
    diagonal.push_back(
        {own.front, {0, own.offset, static_cast<short>(own.stride), count, count, count, false}});
  }
  by_front(blocks, lu.front_count(), plan.first_block, plan.blocks);
  by_front(rows, lu.front_count(), plan.first_row, plan.rows);
  by_front(diagonal, lu.front_count(), plan.first_diagonal, plan.diagonal);
}

}  // namespace taut
