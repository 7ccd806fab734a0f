#include "taut/simulate/held_bodies.hpp"

#include "taut/model/system.hpp"

namespace taut {

void HeldBodies::adapt(const System& system, const RowPattern& pattern) {
  if (topology_ == system.topology()) return;
  topology_ = system.topology();
  held_.assign(static_cast<std::size_t>(system.velocity_size()), 0);
  bounded_.assign(static_cast<std::size_t>(pattern.rows()), 0);
  for (const RowPattern::BoundedRow& bounded : pattern.bounded)
    bounded_[static_cast<std::size_t>(bounded.row)] = 1;
  any_ = false;
  // From the world outwards, until nothing is added.
  for (bool grows = true; grows;) {
    grows = false;
    for (int row = 0; row < pattern.rows(); ++row) {
      if (bounded_[static_cast<std::size_t>(row)]) continue;
      const int begin = pattern.first_block[row], end = pattern.first_block[row + 1];
      bool is_held = end - begin == 1;
      for (int b = begin; b < end; ++b) is_held = is_held || holds(pattern.blocks[b].dof);
      for (int b = begin; is_held && b < end; ++b) {
        char& held = held_[static_cast<std::size_t>(pattern.blocks[b].dof)];
        grows = grows || !held;
        held = any_ = true;
      }
    }
  }
}

}  // namespace taut
