#include "taut/haptics/timing.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>

namespace taut::haptics {
namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void sleep_until(double moment) {
  timespec until{};
  until.tv_sec = static_cast<time_t>(std::floor(moment));
  until.tv_nsec = static_cast<long>(1e9 * (moment - std::floor(moment)));
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
}

}  // namespace

Percentiles percentiles(std::vector<double> times) {
  if (times.empty()) return {};
  std::sort(times.begin(), times.end());
  const auto at = [&](double part) {
    const double place = std::ceil(part * static_cast<double>(times.size())) - 1;
    return times[static_cast<std::size_t>(std::max(0.0, place))];
  };
  return {at(0.5), at(0.99), at(0.999), times.back()};
}

LoopTimes timed_loop(double period, const std::function<bool()>& turn) {
  LoopTimes out;
  const double start = seconds_of(CLOCK_MONOTONIC);
  for (long i = 0;; ++i) {
    const double due = start + static_cast<double>(i) * period;
    if (period > 0) sleep_until(due);
    const double begin = seconds_of(CLOCK_MONOTONIC);
    const double cpu = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    const bool goes_on = turn();
    out.cpu.push_back(seconds_of(CLOCK_THREAD_CPUTIME_ID) - cpu);
    const double end = seconds_of(CLOCK_MONOTONIC);
    out.wall.push_back(end - begin);
    out.late.push_back(period > 0 ? begin - due : 0);
    if (period > 0 && end > due + period) ++out.missed;
    if (!goes_on) break;
  }
  out.seconds = seconds_of(CLOCK_MONOTONIC) - start;
  return out;
}

}  // namespace taut::haptics
