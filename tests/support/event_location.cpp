// When the modes of a motion end: each has a margin that is above 0 as long as it holds.
#include <cmath>

#include "support/event_driven.hpp"

namespace taut::testing {
namespace {

constexpr double least = 1e-11;  // of a margin: above minus this it is not used up

}  // namespace

// Above 0 while the modes hold: one number for each limit and each motor.
VecX EventDriven::margins(const Motion& at) const {
  VecX lambda;
  acceleration(at, modes_, &lambda);
  const VecX gap = c_.equations(at.x, at.u).limits.gap;
  VecX out = lambda;
  for (Eigen::Index i = 0; i < gap.size(); ++i)
    if (!modes_.active[static_cast<std::size_t>(i)]) out[i] = gap[i];
  for (std::size_t i = 0; i < m_.motors.size(); ++i) {
    const Eigen::Index row = gap.size() + static_cast<Eigen::Index>(i);
    out[row] = modes_.slip[i] == 0 ? m_.motors[i].max - std::abs(lambda[row])
                                   : modes_.slip[i] * slip_speed(at, i);
  }
  return out;
}

// Along the motion, by differences.
VecX EventDriven::margin_rates(const Motion& at) const {
  constexpr double delta = 1e-6;
  const VecX dx = c_.rate(at.x, at.u), du = acceleration(at, modes_);
  const VecX after = margins({at.x + delta * dx, at.u + delta * du});
  const VecX before = margins({at.x - delta * dx, at.u - delta * du});
  return (after - before) / (2 * delta);
}

// A margin that is there at both ends of a step may be used up in between, as by a bounce that is
// over before the step is. The cubic through its values and rates tells where to look; the look
// tells in which half to look again. Returns the part of the step where it is used up; 1: nowhere.
double EventDriven::dip(double h, const Motion& end, const VecX& at_end) const {
  const VecX at_start = margins(now_), from = margin_rates(now_), to = margin_rates(end);
  double first = 1;
  for (Eigen::Index row = 0; row < at_end.size(); ++row) {
    struct Side {
      double part, value, rate;
    } low{0, at_start[row], from[row] * h}, high{1, at_end[row], to[row] * h};
    for (int look = 0; look < 4 && low.rate < 0 && high.rate > 0; ++look) {
      const double length = high.part - low.part, rise = high.value - low.value;
      const double a = low.rate * length, b = high.rate * length;
      const double c = 3 * rise - 2 * a - b, d = a + b - 2 * rise;
      const double s = -a / (c + std::sqrt(std::max(c * c - 3 * a * d, 0.0)));
      if (!(s > 0 && s < 1)) break;
      if (low.value + s * (a + s * (c + s * d)) > 0.2 * std::max(low.value, high.value)) break;
      const double part = low.part + s * length;
      Motion at;
      step(part * h, at);
      const Side here{part, margins(at)[row], margin_rates(at)[row] * h};
      if (here.value <= -least) {
        first = std::min(first, part);
        break;
      }
      (here.rate < 0 ? low : high) = here;
    }
  }
  return first;
}

// The part of the step after which the first margin is used up: 1 where none is. Each is found
// by regula falsi (Illinois); −1: trouble.
double EventDriven::first_event(double h, const Motion& end, Forced& forced) {
  if (modes_.active.empty() && modes_.slip.empty()) return 1;
  VecX at_end = margins(end);
  double part = 1;
  if (at_end.minCoeff() > -least) {
    part = dip(h, end, at_end);
    if (part == 1) return 1;
    Motion inside;
    step(part * h, inside);
    at_end = margins(inside);
  }
  const double until = part;
  for (Eigen::Index row = 0; row < at_end.size(); ++row) {
    Motion at;
    double high = part, at_high = at_end[row];
    if (part < until) {
      step(part * h, at);
      at_high = margins(at)[row];
    }
    if (at_high > -least) continue;
    // What has just begun may start at 0: then from where it is above.
    double low = high, at_low = at_high;
    for (int i = 0; i < 40 && at_low <= 0; ++i) {
      low *= 0.5;
      step(low * h, at);
      at_low = margins(at)[row];
      if (at_low <= 0) {
        high = low;
        at_high = at_low;
      }
    }
    if (at_low <= 0) low = high = 0;
    int kept = 0;
    for (int i = 0; i < 100 && high - low > 1e-15; ++i) {
      const double middle =
          i % 8 == 7 ? 0.5 * (low + high) : low + (high - low) * at_low / (at_low - at_high);
      step(middle * h, at);
      const double value = margins(at)[row];
      if (std::abs(value) < 1e-14) {
        low = high = middle;
      } else if (value > 0) {
        low = middle;
        at_low = value;
        if (kept == 1) at_high *= 0.5;
        kept = 1;
      } else {
        high = middle;
        at_high = value;
        if (kept == -1) at_low *= 0.5;
        kept = -1;
      }
    }
    part = low;
    forced = force(row, part * h);
  }
  if (part == 0 && ++stuck_ > 5) {
    fail("an event repeats itself");
    return -1;
  }
  if (part > 0) stuck_ = 0;
  return part;
}

}  // namespace taut::testing
