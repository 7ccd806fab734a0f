// How a loop keeps its time: counted by its own thread, read by any other, without locks.
#pragma once

#include <array>
#include <atomic>
#include <string>

#include "taut/text/json.hpp"

namespace taut::server {

class LoopMeter {
 public:
  /// `wanted`: turns per s; 0: as many as there can be.
  void start(double wanted) { wanted_.store(wanted, std::memory_order_relaxed); }
  /// A turn took so many s, and was over in time or not.
  void add(double seconds, bool was_late);
  long late() const { return late_.load(std::memory_order_relaxed); }
  long turns() const { return turns_.load(std::memory_order_relaxed); }
  /// {"name", "rate", "turns", "late", "p50", "p99", "longest"}: rate as wanted, times in ms, of
  /// the last thousand turns; the longest of all.
  io::Json json(const std::string& name) const;

 private:
  static constexpr std::size_t window = 1024;
  std::array<std::atomic<float>, window> times_{};
  std::atomic<long> turns_{0}, late_{0};
  std::atomic<double> wanted_{0}, longest_{0};
};

}  // namespace taut::server
