// A run whose steps are looked at: was one a plain step of the method, and what was it?
#pragma once

#include <memory>
#include <vector>

#include "taut/derivatives/implicit_equations.hpp"
#include "taut/derivatives/model_family.hpp"
#include "taut/simulate/run_loop_internal.hpp"

namespace taut::detail {

/// Passes steps on, and notes them.
class WatchedMethod final : public Method {
 public:
  explicit WatchedMethod(std::unique_ptr<Method> inner);
  StepReport step(const System& system, double h, State& state, Workspace& w) override;
  int order() const override { return inner_->order(); }
  bool has_memory() const override { return inner_->has_memory(); }
  ForceResponse force_response() const override { return inner_->force_response(); }
  bool interpolate(const System& system, double time, State& out) override {
    return inner_->interpolate(system, time, out);
  }

  int calls = 0;  ///< since somebody set it to 0
  StepRecord last;
  bool was_pushed = false;  ///< contacts acted in the last one

 private:
  std::unique_ptr<Method> inner_;
};

/// The lengths of a run's steps.
std::vector<double> step_lengths(double step, double duration);

class WatchedRun {
 public:
  /// `model` must outlive it. Settles an illegal start, as simulate() does.
  WatchedRun(const Model& model, const State& start, std::unique_ptr<Method> method,
             const RunOptions& options);

  /// False once it has diverged.
  bool step(double h);
  bool may_go_on() const { return run_.may_go_on(); }
  /// Whether the last one was a plain step of the method, which is then in record().
  bool was_plain() const { return was_plain_; }
  const StepRecord& record() const { return method_.last; }
  const State& state() const { return run_.state(); }
  /// So far, beside plain steps; and of the last step, where they begin.
  const std::vector<StepEvent>& events() const { return events_; }
  std::size_t old_events() const { return old_events_; }
  RunReport judged() { return run_.judged(); }
  const RunReport& report() const { return run_.report(); }
  /// What is recorded at this state.
  Recording& recording() { return run_.recording(); }

 private:
  const Model& model_;
  RunOptions options_;
  WatchedMethod method_;
  std::vector<StepEvent> events_;
  std::size_t old_events_ = 0;
  Run run_;
  State before_;
  bool was_plain_ = false;
};

/// The same events in the same order, whenever they were.
bool are_alike(const std::vector<StepEvent>& a, const std::vector<StepEvent>& b);

}  // namespace taut::detail
