#include "taut/simulate/stops_ahead.hpp"

#include <algorithm>
#include <cmath>

namespace taut {

double closing_time(double gap, double rate, double acceleration, double never) {
  if (gap <= 0) return rate < 0 ? 0 : never;
  const double discriminant = rate * rate - 2 * acceleration * gap;
  if (discriminant < 0) return never;
  // Of the two roots that first above 0, without cancellation.
  const double root = std::sqrt(discriminant);
  if (rate < 0) return 2 * gap / (root - rate);
  return acceleration < 0 ? (rate + root) / -acceleration : never;
}

void StopsAhead::look(const System& system, const State& state, double h, double rest,
                      const VecX& v_free, double size, double at_once, LawRows& laws,
                      Workspace& w) {
  stops_.clear();
  const std::vector<RowModes::Mode>& modes = w.modes.modes();
  if (std::none_of(modes.begin(), modes.end(), LawRows::is_limit)) return;
  laws.look(system, state, w);
  for (const RowModes::Mode& mode : modes) {
    if (!LawRows::is_limit(mode)) continue;
    const LawRows::Stop at = laws.stop(mode);
    Stop stop{mode.row, at.gap, at.rate};
    stop.free_rate = at.sign * (laws.along(mode.row, v_free, w.pattern) + laws.drive(mode));
    const double change = std::abs(stop.free_rate - at.rate) * h / rest;
    stop.slow = 1e-6 * change + 1e-9 * std::abs(at.rate);
    const double touching = no_gap(w.pattern.is_angle[static_cast<std::size_t>(mode.row)], size);
    stop.is_closed = !mode.acted && at.gap <= touching + std::max(0.0, -at.rate) * at_once;
    if (-at.rate > weakest_bounce * change) stop.restitution = mode.law.restitution;
    stops_.push_back(stop);
  }
}

const StopsAhead::Stop* StopsAhead::find(int row) const {
  const auto found =
      std::find_if(stops_.begin(), stops_.end(), [&](const Stop& stop) { return stop.row == row; });
  return found == stops_.end() ? nullptr : &*found;
}

bool StopsAhead::is_hit() const {
  return std::any_of(stops_.begin(), stops_.end(),
                     [](const Stop& stop) { return stop.is_closed && stop.rate < -stop.slow; });
}

double StopsAhead::time_to_hit(double rest, bool locates) const {
  double first = rest;
  for (const Stop& stop : stops_) {
    if (stop.is_closed || (stop.restitution == 0 && !locates)) continue;
    const double acceleration = (stop.free_rate - stop.rate) / rest;
    const double closing = closing_time(stop.gap, stop.rate, acceleration, rest);
    if (closing < first && stop.rate + acceleration * closing < -stop.slow) first = closing;
  }
  return first;
}

}  // namespace taut
