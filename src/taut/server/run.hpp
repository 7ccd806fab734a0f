// A run as the world sees it: live, or from a recording. Each has its own thread, and is asked and
// told things from others.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "taut/server/history.hpp"
#include "taut/server/snapshot.hpp"
#include "taut/text/json.hpp"

namespace taut::server {

struct RunState {
  std::string status = "ok";  ///< "diverged", "ended"
  std::string reason;
  std::vector<std::string> doubts;
  double time = 0;
  std::uint64_t steps = 0;
};

/// What the clients of a world want to see: runs measure no more.
struct Wishes {
  bool forces = false, contacts = false, tension = false;
};

class Run {
 public:
  virtual ~Run() = default;
  /// How far it may go: a simulated time. It goes there as fast as it can.
  virtual void set_goal(double time) = 0;
  /// Simulated s per s that it keeps by itself, step by step; 0: it goes to its goal at once.
  virtual void set_pace(double /*speed*/) {}
  virtual bool keeps_pace() const { return false; }  ///< whether it can
  virtual double time() const = 0;
  virtual double step() const = 0;
  /// Whether it will never get farther.
  virtual bool is_over() const = 0;
  virtual void wish(const Wishes& wishes) = 0;
  virtual SnapshotPointer newest() const = 0;
  virtual RunState state() const = 0;
  /// How its loops keep their time: see LoopMeter. Null where it has none.
  virtual io::Json loops() const { return {}; }

  virtual History::Range recorded() const = 0;
  virtual std::vector<double> recorded_times() const = 0;
  virtual std::vector<double> recorded_values(Metric metric) const = 0;
  virtual std::optional<std::size_t> find_recorded(double time) const = 0;
  virtual SnapshotPointer recorded_at(std::size_t index) const = 0;
  /// Goes on from what was recorded at that time, and forgets what came after.
  virtual void rewind(double time) = 0;
};

}  // namespace taut::server
