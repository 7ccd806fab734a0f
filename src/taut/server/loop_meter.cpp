#include "taut/server/loop_meter.hpp"

#include <vector>

#include "taut/haptics/timing.hpp"

namespace taut::server {

void LoopMeter::add(double seconds, bool was_late) {
  constexpr auto relaxed = std::memory_order_relaxed;
  const long turn = turns_.load(relaxed);
  times_[static_cast<std::size_t>(turn) % window].store(static_cast<float>(seconds), relaxed);
  turns_.store(turn + 1, relaxed);
  if (was_late) late_.store(late_.load(relaxed) + 1, relaxed);
  if (seconds > longest_.load(relaxed)) longest_.store(seconds, relaxed);
}

io::Json LoopMeter::json(const std::string& name) const {
  const long turns = this->turns();
  std::vector<double> times;
  const std::size_t count = std::min<std::size_t>(window, static_cast<std::size_t>(turns));
  for (std::size_t i = 0; i < count; ++i)
    times.push_back(static_cast<double>(times_[i].load(std::memory_order_relaxed)));
  const haptics::Percentiles found = haptics::percentiles(std::move(times));
  return {{"name", name},
          {"rate", wanted_.load(std::memory_order_relaxed)},
          {"turns", turns},
          {"late", late()},
          {"p50", 1e3 * found.p50},
          {"p99", 1e3 * found.p99},
          {"longest", 1e3 * longest_.load(std::memory_order_relaxed)}};
}

}  // namespace taut::server
