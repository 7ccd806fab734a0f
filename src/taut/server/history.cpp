#include "taut/server/history.hpp"

#include <algorithm>

namespace taut::server {

void History::add(const State& state, std::uint64_t steps, const MetricValues& values,
                  const std::vector<HandShot>& hands, const std::vector<double>& inputs) {
  since_ = 0;
  const std::lock_guard lock(mutex_);
  records_.push_back({state, steps, values, hands, inputs});
  const std::size_t numbers = static_cast<std::size_t>(state.q.size() + state.v.size());
  const std::size_t bytes =
      sizeof(Record) + sizeof(double) * (numbers + inputs.size()) + sizeof(HandShot) * hands.size();
  if (records_.size() * bytes > most_bytes_ && records_.size() > 16) thin_out();
}

void History::note_inputs(double time, const std::vector<double>& inputs) {
  const std::lock_guard lock(mutex_);
  if (!records_.empty() && records_.back().state.time == time) records_.back().inputs = inputs;
}

void History::thin_out() {
  std::size_t kept = 1;
  for (std::size_t i = 2; i < records_.size(); i += 2) records_[kept++] = std::move(records_[i]);
  records_.resize(kept);
  every_ *= 2;
}

void History::cut_after(double time) {
  const std::lock_guard lock(mutex_);
  const auto end = std::find_if(records_.begin(), records_.end(),
                                [&](const Record& record) { return record.state.time > time; });
  records_.erase(end, records_.end());
  since_ = 0;
}

History::Range History::range() const {
  const std::lock_guard lock(mutex_);
  if (records_.empty()) return {};
  return {records_.size(), records_.front().state.time, records_.back().state.time};
}

std::vector<double> History::times() const {
  const std::lock_guard lock(mutex_);
  std::vector<double> all;
  for (const Record& record : records_) all.push_back(record.state.time);
  return all;
}

std::vector<double> History::values(Metric metric) const {
  const std::lock_guard lock(mutex_);
  std::vector<double> all;
  for (const Record& record : records_) all.push_back(record.metrics[metric]);
  return all;
}

std::size_t History::index_of(double time) const {
  const auto after =
      std::upper_bound(records_.begin(), records_.end(), time,
                       [](double t, const Record& record) { return t < record.state.time; });
  return after == records_.begin() ? 0 : static_cast<std::size_t>(after - records_.begin()) - 1;
}

std::optional<std::size_t> History::find(double time) const {
  const std::lock_guard lock(mutex_);
  if (records_.empty()) return std::nullopt;
  return index_of(time);
}

std::optional<History::Record> History::at(std::size_t index) const {
  const std::lock_guard lock(mutex_);
  if (index >= records_.size()) return std::nullopt;
  return records_[index];
}

std::optional<VecX> History::positions_at(double time) const {
  const std::lock_guard lock(mutex_);
  if (records_.empty() || time < records_.front().state.time || time > records_.back().state.time)
    return std::nullopt;
  const std::size_t i = index_of(time);
  const State& before = records_[i].state;
  if (i + 1 == records_.size()) return before.q;
  const State& after = records_[i + 1].state;
  const double part = (time - before.time) / (after.time - before.time);
  return VecX((1 - part) * before.q + part * after.q);
}

}  // namespace taut::server
