// How long steps take, and how late a loop is on this machine.
#pragma once

#include <functional>
#include <vector>

namespace taut::haptics {

/// Of times in s; those of no times are 0.
struct Percentiles {
  double p50 = 0, p99 = 0, p999 = 0, most = 0;
};
Percentiles percentiles(std::vector<double> times);

struct LoopTimes {
  std::vector<double> cpu;   ///< s, per turn: of this thread
  std::vector<double> wall;  ///< s, per turn
  std::vector<double> late;  ///< s, per turn: after the moment it should have begun
  long missed = 0;           ///< turns that were not over when the next one should have begun
  double seconds = 0;        ///< of all
};
/// Calls `turn` every `period` s until it says false, sleeping in between; with period 0 without
/// pause. A turn that comes too late is done at once, and those after it keep the first schedule.
LoopTimes timed_loop(double period, const std::function<bool()>& turn);

}  // namespace taut::haptics
