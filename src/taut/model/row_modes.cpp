#include "taut/model/row_modes.hpp"

#include <cmath>

namespace taut {

RowModes::RowModes(const RowPattern& pattern) {
  for (const RowPattern::BoundedRow& bounded : pattern.bounded) {
    Mode& mode = modes_.emplace_back();
    mode.row = bounded.row;
    mode.law = bounded.law;
    mode.is_equation = bounded.law.kind != RowLaw::Kind::limit;
  }
}

double RowModes::compliance(const Mode& mode) {
  const double mobility = mode.mobility > 0 ? mode.mobility : 1;
  if (!mode.is_equation) return mobility;
  return mode.law.kind == RowLaw::Kind::rate ? 1e-9 * mobility : 0;
}

double RowModes::continued(const Mode& mode, double value) {
  const double period = mode.law.period;
  return period > 0 && std::isfinite(mode.last)
             ? value + period * std::round((mode.last - value) / period)
             : value;
}

void RowModes::apply(const RowPattern& pattern, double time, int velocity_size, Rows& rows,
                     VecX& force) const {
  if (external.size() > 0) {
    force = external;
  } else if (modes_.empty()) [[likely]] {
    force.resize(0);
    return;
  } else {
    force.setZero(velocity_size);
  }
  for (const Mode& mode : modes_) {
    const int row = mode.row;
    if (mode.is_equation) {
      double& C = rows.C[row];
      C = continued(mode, C) - mode.target;
      if (mode.law.kind != RowLaw::Kind::rate) continue;
      // The way that Ċ = J v + C_t = 0 leaves open since the start of the step.
      C = mode.has_start ? C + 0.5 * (time - mode.start_time) * (mode.start_rate + rows.C_t[row])
                         : 0;
      continue;
    }
    for (int b = pattern.first_block[row]; b < pattern.first_block[row + 1]; ++b) {
      const JacobianBlock& block = pattern.blocks[b];
      auto gradient = rows.J.segment(block.value, block.size);
      force.segment(block.dof, block.size) -= mode.held * gradient;
      gradient.setZero();
    }
    rows.C[row] = rows.C_t[row] = 0;
  }
}

}  // namespace taut
