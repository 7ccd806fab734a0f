// Parts of advise(): runs that are sampled at common times, and the reference they are compared to.
#pragma once

#include <atomic>
#include <chrono>
#include <vector>

#include "taut/analysis/advice.hpp"

namespace taut::detail {

/// Time and the user's patience, seen by all threads.
class Patience {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Patience(double budget) : begin_(Clock::now()), budget_(budget) {}
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  /// Seconds until `part` of the budget is used up.
  double left(double part) const { return part * budget_ - elapsed(); }
  std::atomic<bool> interrupted{false};

 private:
  Clock::time_point begin_;
  double budget_;
};

/// All runs pass these times, 0, interval, 2·interval … up to count·interval.
struct SampleTimes {
  double interval = 0;
  int count = 0;
  double end() const { return interval * count; }
};

struct SampledRun {
  RunReport report;
  std::vector<VecX> places;  ///< of all bodies, per sample
};

/// With a step that divides the interval `divisor` times; ends early when the deadline passes.
SampledRun run_sampled(const System& system, const State& start, Method& method, int divisor,
                       const SampleTimes& times, const Patience& patience, double deadline_part);

/// Largest distance between the same body at samples 0 … i, for every i both have.
std::vector<double> distances(const std::vector<VecX>& a, const std::vector<VecX>& b);

/// The start itself, or the nearest one where constraints and velocities are legal. `violation` is
/// how far it was off.
State legal_start(const System& system, State start, double& violation);

struct Reference {
  std::vector<VecX> places;
  AdviceReference quality;
};
Reference make_reference(const System& system, const State& start, const AdviceRequest& request,
                         const SampleTimes& times, Patience& patience);

}  // namespace taut::detail
