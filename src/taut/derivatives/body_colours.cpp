#include "taut/derivatives/body_colours.hpp"

#include <algorithm>
#include <numeric>

namespace taut::detail {
namespace {

void make_neighbours(const std::vector<int>& group, std::vector<std::vector<int>>& neighbours) {
  for (const int a : group)
    for (const int b : group) neighbours[static_cast<std::size_t>(a)].push_back(b);
}

void sort_and_unite(std::vector<int>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

}  // namespace

bool is_uniform(const ForceBatch& batch) {
  return batch.anchors_per_coupling() == 0 && batch.is_conservative() &&
         !batch.uniform_acceleration().isZero(0);
}

BodyColours::BodyColours(const System& system, const RowPattern& pattern, bool forces_count) {
  const std::size_t bodies = static_cast<std::size_t>(system.body_count());
  neighbours.resize(bodies);
  rows.resize(bodies);
  std::vector<int> body_of(static_cast<std::size_t>(system.velocity_size()));
  for (int i = 0; i < system.body_count(); ++i) {
    const BodySlot& slot = system.slot({i});
    neighbours[static_cast<std::size_t>(i)].push_back(i);
    std::fill_n(body_of.begin() + slot.v, slot.rigid < 0 ? 3 : 6, i);
  }
  std::vector<int> group;
  for (int row = 0; row < pattern.rows(); ++row) {
    group.clear();
    for (int b = pattern.first_block[row]; b < pattern.first_block[row + 1]; ++b)
      group.push_back(body_of[static_cast<std::size_t>(pattern.blocks[b].dof)]);
    sort_and_unite(group);
    make_neighbours(group, neighbours);
    for (const int body : group) rows[static_cast<std::size_t>(body)].push_back(row);
  }
  bool is_unknown = false;  // what a force depends on
  for (const auto& batch : system.all_forces()) {
    if (!forces_count || is_uniform(*batch)) continue;
    is_unknown = is_unknown || batch->anchors_per_coupling() == 0;
    batch->visit_couplings(system, [&](std::span<const Anchor> anchors) {
      group.clear();
      for (const Anchor& anchor : anchors)
        if (!anchor.body.is_world()) group.push_back(anchor.body.index);
      sort_and_unite(group);
      make_neighbours(group, neighbours);
    });
  }
  std::vector<int> all(bodies);
  std::iota(all.begin(), all.end(), 0);
  for (auto& of_body : neighbours) {
    if (is_unknown) of_body = all;
    sort_and_unite(of_body);
  }

  // Greedy: the first colour whose bodies have no neighbour in common with this one.
  std::vector<std::vector<int>> taken(bodies);  // per body: colours of its neighbours
  for (const int body : all) {
    const auto& near = neighbours[static_cast<std::size_t>(body)];
    int colour = 0;
    const auto is_taken = [&](int c) {
      return std::any_of(near.begin(), near.end(), [&](int n) {
        const auto& colours = taken[static_cast<std::size_t>(n)];
        return std::find(colours.begin(), colours.end(), c) != colours.end();
      });
    };
    while (is_taken(colour)) ++colour;
    for (const int n : near) taken[static_cast<std::size_t>(n)].push_back(colour);
    if (colour == static_cast<int>(classes.size())) classes.emplace_back();
    classes[static_cast<std::size_t>(colour)].push_back(body);
  }
}

}  // namespace taut::detail
