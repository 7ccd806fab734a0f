#include "taut/model/row_modes.hpp"

#include <algorithm>
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

double RowModes::compliance(const Mode& mode) const {
  constexpr double little = 1e-9, least = 1e-10;
  const double mobility = mode.mobility > 0 ? mode.mobility : 1;
  if (!mode.is_equation) return mobility;
  if (mode.law.kind == RowLaw::Kind::rate) return little * mobility;
  return in_solve && mode.is_limit() ? least * mobility : 0;
}

double RowModes::continued(const Mode& mode, double value) {
  const double period = mode.law.period;
  return period > 0 && std::isfinite(mode.last)
             ? value + period * std::round((mode.last - value) / period)
             : value;
}

double RowModes::Mode::least() const {
  if (law.kind == RowLaw::Kind::rate) return law.lower;
  return target == law.lower ? -std::numeric_limits<double>::infinity() : 0;
}

double RowModes::Mode::most() const {
  if (law.kind == RowLaw::Kind::rate) return law.upper;
  return target == law.lower ? 0 : std::numeric_limits<double>::infinity();
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
    if (!mode.is_equation && !(in_solve && !mode.is_timed())) {
      switch_off(pattern, mode, rows, force);
      continue;
    }
    rows.C[row] = measured(mode, rows.C[row], rows.C_t[row], time);
    if (mode.approach != 0) rows.C_t[row] += mode.approach_rate;
  }
}

double RowModes::measured(const Mode& mode, double C, double C_t, double time) {
  C = continued(mode, C) - mode.target;
  const double passed = time - mode.start_time;
  if (mode.approach != 0) return C - mode.approach + passed * mode.approach_rate;
  if (mode.law.kind != RowLaw::Kind::rate) return C;
  // The way that Ċ = J v + C_t = 0 leaves open since the start of the step.
  return mode.has_start ? C + 0.5 * passed * (mode.start_rate + C_t) : 0;
}

double RowModes::beyond(const Mode& mode, double C) {
  if (mode.is_limit()) return mode.target == mode.law.lower ? std::min(C, 0.0) : std::max(C, 0.0);
  return mode.is_equation ? C : 0;
}

void RowModes::hold(const RowPattern& pattern, Rows& rows, VecX& force) const {
  for (const Mode& mode : modes_)
    if (!mode.is_equation && !mode.is_timed()) switch_off(pattern, mode, rows, force);
}

void RowModes::switch_off(const RowPattern& pattern, const Mode& mode, Rows& rows,
                          VecX& force) const {
  for (int b = pattern.first_block[mode.row]; b < pattern.first_block[mode.row + 1]; ++b) {
    const JacobianBlock& block = pattern.blocks[b];
    auto gradient = rows.J.segment(block.value, block.size);
    force.segment(block.dof, block.size) -= mode.held * gradient;
    gradient.setZero();
  }
  rows.C[mode.row] = rows.C_t[mode.row] = 0;
}

void RowModes::turn_to_nearer_bounds(VecX& C) {
  for (Mode& mode : modes_) {
    if (!mode.is_limit() || mode.is_equation) continue;
    const double value = C[mode.row] + mode.target;
    const bool is_low = value - mode.law.lower < mode.law.upper - value;
    mode.target = is_low ? mode.law.lower : mode.law.upper;
    C[mode.row] = value - mode.target;
  }
}

int RowModes::decide(const RowPattern& pattern, double time_squared, double nothing, double length,
                     const VecX& C, VecX& lambda, bool one_only) {
  int wrong = 0;
  for (Mode& mode : modes_) {
    if (mode.is_timed()) continue;
    const double unit = pattern.is_angle[static_cast<std::size_t>(mode.row)] ? 1 : length;
    const double response = time_squared * (mode.mobility > 0 ? mode.mobility : 1);
    const double z = lambda[mode.row] + C[mode.row] / response;
    const double least = mode.least(), most = mode.most();
    // What is no more than round-off beyond a bound leaves a row as it is.
    const double slack = (mode.is_equation ? 1 : -1) * nothing * unit / response;
    const bool is_equation = z >= least - slack && z <= most + slack;
    const double held = is_equation ? 0 : z < least - slack ? least : most;
    const bool is_wrong = is_equation != mode.is_equation || (!is_equation && held != mode.held);
    wrong += is_wrong;
    if (is_wrong && !(one_only && wrong > 1)) {
      mode.is_equation = is_equation;
      mode.held = held;
    }
    if (!mode.is_equation) lambda[mode.row] = mode.held;
  }
  return wrong;
}

void RowModes::drop_slack(VecX& C) const {
  for (const Mode& mode : modes_)
    if (!mode.is_timed()) C[mode.row] = beyond(mode, C[mode.row]);
}

}  // namespace taut
