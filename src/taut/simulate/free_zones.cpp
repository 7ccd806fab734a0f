#include "taut/simulate/free_zones.hpp"

#include <cmath>

namespace taut {

void FreeZones::begin(const System& system) {
  zones_.begin(system.body_count() + 1);
  body_.resize(static_cast<std::size_t>(system.velocity_size()));
  for (int i = 0; i < system.body_count(); ++i) {
    const int first = system.slot({i}).v, count = system.is_rigid({i}) ? 6 : 3;
    std::fill_n(body_.begin() + first, count, i);
  }
}

void FreeZones::join_rows(const System& system, const RowPattern& pattern, const VecX& J) {
  constexpr double nothing = 1e-9;  // of the gradient: of a row that a translation does not change
  for (int r = 0; r < pattern.rows(); ++r) {
    Vec3 sum = Vec3::Zero();
    double size = 0;
    const int begin = pattern.first_block[r], end = pattern.first_block[r + 1];
    for (int b = begin; b < end; ++b) {
      const JacobianBlock& block = pattern.blocks[b];
      const int body = body_[static_cast<std::size_t>(block.dof)];
      join(body_[static_cast<std::size_t>(pattern.blocks[begin].dof)], body);
      for (int i = 0; i < block.size; ++i) {
        const int axis = block.dof + i - system.slot({body}).v;
        if (axis >= 3) continue;
        sum[axis] += J[block.value + i];
        size = std::max(size, std::abs(J[block.value + i]));
      }
    }
    if (begin < end && sum.norm() > nothing * size)
      hold(body_[static_cast<std::size_t>(pattern.blocks[begin].dof)]);
  }
  for (const StiffnessBlock& block : pattern.coupling_blocks)
    join(body_[static_cast<std::size_t>(block.row_dof)],
         body_[static_cast<std::size_t>(block.col_dof)]);
}

bool FreeZones::way(const System& system, double h, const VecX& r, VecX& way) {
  mass_.assign(zones_.size(), 0);
  left_.assign(zones_.size(), Vec3::Zero());
  for (int i = 0; i < system.body_count(); ++i) {
    const auto zone = static_cast<std::size_t>(zones_.of(i));
    mass_[zone] += system.mass({i});
    left_[zone] += r.segment<3>(system.slot({i}).v);
  }
  const int held = zones_.of(system.body_count());
  way.setZero(system.velocity_size());
  for (int i = 0; i < system.body_count(); ++i) {
    const int zone = zones_.of(i);
    const auto at = static_cast<std::size_t>(zone);
    if (zone != held && mass_[at] > 0)
      way.segment<3>(system.slot({i}).v) = (-h * h / mass_[at]) * left_[at];
  }
  return !way.isZero(0);
}

}  // namespace taut
