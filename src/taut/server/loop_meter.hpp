// How a loop keeps its time: counted by its own thread, read by any other, without locks.
#pragma once

#include <array>
#include <atomic>
#include <string>

#include "taut/haptics/timing.hpp"
#include "taut/text/json.hpp"

namespace taut::server {

class LoopMeter {
 public:
  /// `wanted`: turns per s; 0: as many as there can be.
  void start(double wanted) { wanted_.store(wanted, std::memory_order_relaxed); }
  struct Turn {
    double seconds;  ///< it took
    double behind;   ///< s: so much after its time it began
    bool is_late;    ///< it was not over in time
  };
  void add(const Turn& turn);

  long late() const { return late_.load(std::memory_order_relaxed); }
  long turns() const { return turns_.load(std::memory_order_relaxed); }
  /// {"name", "rate", "turns", "late", "p50", "p99", "longest", "jitter"}: rate as wanted; times in
  /// ms, of the last thousand turns, the longest of all. Jitter: the p99 of how late they began.
  io::Json json(const std::string& name) const;

 private:
  static constexpr std::size_t window = 1024;
  using Window = std::array<std::atomic<float>, window>;
  haptics::Percentiles percentiles_of(const Window& values) const;

  Window times_{}, behind_{};
  std::atomic<long> turns_{0}, late_{0};
  std::atomic<double> wanted_{0}, longest_{0};
};

}  // namespace taut::server
