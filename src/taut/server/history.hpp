// What a run has been through: states as they were, bit for bit, for scrubbing and going back. The
// memory is bounded: when it is full, every second state is dropped, and from then on only half as
// many are kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "taut/server/snapshot.hpp"

namespace taut::server {

class History {
 public:
  /// `every`: so many steps lie between two records.
  History(std::size_t most_bytes, long every) : most_bytes_(most_bytes), every_(every) {}

  // By the thread of the run, after every step: add() if it is due, else skip().
  bool is_due() const { return since_ + 1 >= every_; }
  void skip() { ++since_; }
  void add(const State& state, std::uint64_t steps, const MetricValues& values,
           const std::vector<HandShot>& hands = {}, const std::vector<double>& inputs = {});
  /// Inputs were set at a time: if that is the last one, they belong to it.
  void note_inputs(double time, const std::vector<double>& inputs);
  /// Forgets what came after a time.
  void cut_after(double time);

  struct Range {
    std::size_t count = 0;
    double first = 0, last = 0;
  };
  Range range() const;
  std::vector<double> times() const;
  /// A metric at all recorded times.
  std::vector<double> values(Metric metric) const;
  /// The last one not after a time, or the first.
  std::optional<std::size_t> find(double time) const;

  struct Record {
    State state;
    std::uint64_t steps = 0;
    MetricValues metrics;
    std::vector<HandShot> hands;
    std::vector<double> inputs;
  };
  std::optional<Record> at(std::size_t index) const;
  /// The configuration at a time, between two records straight from one to the other; nothing
  /// outside of what was recorded.
  std::optional<VecX> positions_at(double time) const;

 private:
  std::size_t index_of(double time) const;
  void thin_out();

  const std::size_t most_bytes_;
  long every_;
  std::atomic<long> since_{0};
  mutable std::mutex mutex_;
  std::vector<Record> records_;
};

}  // namespace taut::server
