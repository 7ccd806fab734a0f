#include "taut/record/recording_times.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace taut::io {
namespace {

/// How many of `part` come closest to `whole`, at least one.
long count_of(double part, double whole) {
  constexpr double most = 1e15;
  return std::max(1L, std::lround(std::min(whole / part, most)));
}

}  // namespace

RecordingTimes plan_recording(double frame_rate, bool has_tables, RunOptions& options) {
  const double wanted = 1 / frame_rate;
  if (options.step > 0) {
    const double h = options.step;
    const long lines = options.record_every;
    long steps = count_of(h, wanted);
    if (has_tables && steps >= lines)
      steps = lines * count_of(static_cast<double>(lines), static_cast<double>(steps));
    options.record_every = has_tables ? std::gcd(lines, steps) : steps;
    return {static_cast<double>(lines) * h, static_cast<double>(steps) * h};
  }
  const double lines = options.record_interval;
  if (!has_tables) {
    options.record_interval = wanted;
    return {0, wanted};
  }
  if (wanted >= lines) return {lines, lines * static_cast<double>(count_of(lines, wanted))};
  options.record_interval = lines / static_cast<double>(count_of(wanted, lines));
  return {lines, options.record_interval};
}

}  // namespace taut::io
