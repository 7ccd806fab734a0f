// A recording that is played as if it were a run. It needs no thread: a frame is read when somebody
// wants to see it.
#pragma once

#include <atomic>

#include "taut/record/recording.hpp"
#include "taut/server/run.hpp"

namespace taut::server {

class Playback final : public Run {
 public:
  /// Throws Error for a recording without frames.
  explicit Playback(const std::string& path);

  const io::RecordingInfo& info() const { return reader_.info(); }
  io::RecordedFrame first_frame();

  void set_goal(double time) override;
  double time() const override { return time_; }
  double step() const override;
  bool is_over() const override { return time_ >= last_; }
  void wish(const Wishes&) override {}
  SnapshotPointer newest() const override;
  RunState state() const override;

  History::Range recorded() const override;
  std::vector<double> recorded_times() const override;
  std::vector<double> recorded_values(Metric) const override { return {}; }
  std::optional<std::size_t> find_recorded(double time) const override;
  SnapshotPointer recorded_at(std::size_t index) const override;
  void rewind(double time) override;

 private:
  std::size_t index_of(double time) const;
  SnapshotPointer read(std::size_t index) const;

  mutable std::mutex mutex_;  // guards the reader and the newest frame
  mutable io::RecordingReader reader_;
  std::shared_ptr<const Frame> frame_;
  double first_ = 0, last_ = 0;
  std::atomic<double> time_{0};
  mutable SnapshotPointer newest_;
};

}  // namespace taut::server
