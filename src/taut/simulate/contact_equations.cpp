#include "taut/simulate/contact_equations.hpp"

#include <algorithm>
#include <cmath>

#include "taut/simulate/stops_ahead.hpp"

namespace taut {

void ContactEquations::linearize(const System& system, const VecX& q, double time, Workspace& w,
                                 const Stillness& still) {
  const bool fits = known_.topology == system.topology() && rows.C.size() == w.pattern.rows();
  if (fits && still.of_places(system, known_.q, q) &&
      (time == known_.time || !system.constraints_depend_on_time()))
    return;
  known_.topology = system.topology();
  known_.q = q;
  known_.time = time;
  rows.resize(w.pattern);
  pose_.set(system, q);
  rows.linearize(system, w.pattern, pose_, time);
}

void ContactEquations::take_stiffness(const System& system, const State& state, double damping,
                                      Workspace& w) {
  pose_.set(system, state.q);
  rows.add_force_stiffness(system, w.pattern, pose_, state.v, damping, state.time);
}

void ContactEquations::set_laws(const System& system, const State& state, Laws which, double length,
                                double size, Workspace& w) {
  laws.clear();
  left_out.clear();
  if (w.modes.empty()) return;
  source.look(system, state, w);
  for (const RowModes::Mode& mode : w.modes.modes()) {
    LawRow row;
    row.row = mode.row;
    if (which == Laws::over_step && w.lambda.size() == w.pattern.rows())
      row.impulse = -w.lambda[mode.row] * length;
    row.law.unit = w.pattern.is_angle[static_cast<std::size_t>(mode.row)] ? ConeLaw::Unit::angle
                                                                          : ConeLaw::Unit::length;
    if (LawRows::is_timed(mode)) {
      if (LawRows::is_over(mode, state.time)) left_out.push_back(mode.row);
      continue;
    }
    if (LawRows::is_limit(mode)) {
      const LawRows::Stop at = source.stop(mode);
      row.sign = at.sign;
      row.impulse *= row.sign;
      switch (which) {
        case Laws::over_step:
          row.w = row.sign * source.drive(mode) + std::max(at.gap, 0.0) / length;
          break;
        case Laws::at_impact:
          if (at.gap > StopsAhead::no_gap(row.law.unit == ConeLaw::Unit::angle, size)) {
            left_out.push_back(mode.row);
            continue;
          }
          row.w = row.sign * source.drive(mode);
          break;
        case Laws::of_positions:
          row.w = at.gap;
          break;
      }
      laws.push_back(row);
      continue;
    }
    const bool is_bounded = std::isfinite(mode.law.upper);
    if (which == Laws::of_positions || (which == Laws::at_impact && is_bounded)) {
      left_out.push_back(mode.row);
      continue;
    }
    row.law.kind = ConeLaw::Kind::interval;
    row.law.lower = -mode.law.upper * length;
    row.law.upper = -mode.law.lower * length;
    row.w = source.drive(mode);
    laws.push_back(row);
  }
}

void ContactEquations::look_at_positions(const System& system, const State& state, double size,
                                         Workspace& w, const Stillness& still) {
  linearize(system, state.q, state.time, w, still);
  set_laws(system, state, Laws::of_positions, 1, size, w);
  if (w.pattern.velocity_rows.empty()) return;  // they ask for nothing of positions
  left_out.insert(left_out.end(), w.pattern.velocity_rows.begin(), w.pattern.velocity_rows.end());
  std::sort(left_out.begin(), left_out.end());
}

}  // namespace taut
