#include <algorithm>
#include <cmath>

#include "taut/distributed/domain_internal.hpp"

namespace taut::distributed {

Domain::Domain(const Processes& all, const io::SceneShare& of)
    : processes(all), share(of), system(of.scene.system), workspace(system) {
  for (const io::ClothShare& cloth : share.cloths)
    for (std::size_t v = 0; v < cloth.vertex.size(); ++v) {
      number_.push_back(cloth.first_body + cloth.vertex[v]);
      owner_.push_back(cloth.owner[v]);
    }
  std::vector<Halo::Key> keys;
  for (int body = 0; body < system.body_count(); ++body) {
    keys.push_back({number(body), 0, 0});
    (owns_body(body) ? owned_bodies_ : other_bodies_).push_back(body);
  }
  bodies_ = std::make_unique<Halo>(processes, keys, owner_, other_bodies_, 3);
  keys = find_rows();
  rows_ = std::make_unique<Halo>(processes, keys, row_owner_, near_rows_, 1);
  whole_rows_ = processes.sum(static_cast<long>(owned_rows_.size()));
}

// A row is known by its vertices, the lowest first, and its number among those of its constraint.
std::vector<Halo::Key> Domain::find_rows() {
  const RowPattern& pattern = workspace.pattern;
  std::vector<Halo::Key> keys;
  std::vector<char> matters(number_.size(), 0);  // per body
  for (const int body : owned_bodies_) matters[static_cast<std::size_t>(body)] = 1;
  const auto body_of = [&](int block) {
    return pattern.blocks[static_cast<std::size_t>(block)].dof / 3;
  };
  const auto visit = [&](int row, const auto& see) {
    for (int b = pattern.first_block[row]; b < pattern.first_block[row + 1]; ++b) see(body_of(b));
  };
  for (int row = 0; row < pattern.rows(); ++row) {
    int first = body_of(pattern.first_block[row]), last = first;
    visit(row, [&](int body) {
      if (number(body) < number(first)) first = body;
      if (number(body) > number(last)) last = body;
    });
    const bool goes_on = row > 0 && keys.back()[0] == number(first) &&
                         keys.back()[1] == number(last);  // the next row of a constraint
    keys.push_back({number(first), number(last), goes_on ? keys.back()[2] + 1 : 0});
    row_owner_.push_back(owner(first));
    if (!owns_row(row)) continue;
    owned_rows_.push_back(row);
    visit(row, [&](int body) { matters[static_cast<std::size_t>(body)] = 1; });
  }
  for (int row = 0; row < pattern.rows(); ++row) {
    if (owns_row(row)) continue;
    bool is_near = false;
    visit(row, [&](int body) { is_near = is_near || matters[static_cast<std::size_t>(body)]; });
    if (is_near) near_rows_.push_back(row);
  }
  return keys;
}

double Domain::norm(const VecX& x) const {
  double squares = 0;
  for (const int body : owned_bodies_) squares += x.segment<3>(3 * body).squaredNorm();
  return std::sqrt(processes.sum(squares));
}

void Domain::keep_own(VecX& x) const {
  for (const int body : other_bodies_) x.segment<3>(3 * body).setZero();
}

}  // namespace taut::distributed
