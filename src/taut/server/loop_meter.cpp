#include "taut/server/loop_meter.hpp"

#include <vector>

namespace taut::server {

void LoopMeter::add(const Turn& turn) {
  constexpr auto relaxed = std::memory_order_relaxed;
  const long number = turns_.load(relaxed);
  const std::size_t at = static_cast<std::size_t>(number) % window;
  times_[at].store(static_cast<float>(turn.seconds), relaxed);
  behind_[at].store(static_cast<float>(turn.behind), relaxed);
  turns_.store(number + 1, relaxed);
  if (turn.is_late) late_.store(late_.load(relaxed) + 1, relaxed);
  if (turn.seconds > longest_.load(relaxed)) longest_.store(turn.seconds, relaxed);
}

haptics::Percentiles LoopMeter::percentiles_of(const Window& values) const {
  const std::size_t count = std::min<std::size_t>(window, static_cast<std::size_t>(turns()));
  std::vector<double> all;
  for (std::size_t i = 0; i < count; ++i)
    all.push_back(static_cast<double>(values[i].load(std::memory_order_relaxed)));
  return haptics::percentiles(std::move(all));
}

io::Json LoopMeter::json(const std::string& name) const {
  const haptics::Percentiles times = percentiles_of(times_);
  return {{"name", name},
          {"rate", wanted_.load(std::memory_order_relaxed)},
          {"turns", turns()},
          {"late", late()},
          {"p50", 1e3 * times.p50},
          {"p99", 1e3 * times.p99},
          {"longest", 1e3 * longest_.load(std::memory_order_relaxed)},
          {"jitter", 1e3 * percentiles_of(behind_).p99}};
}

}  // namespace taut::server
