// One run in progress: what fixed and automatic steps share.
#pragma once

#include <chrono>
#include <limits>
#include <string>
#include <utility>

#include "taut/simulate/activation_internal.hpp"
#include "taut/simulate/interpolation_internal.hpp"
#include "taut/simulate/metrics.hpp"
#include "taut/simulate/run_recording_internal.hpp"
#include "taut/simulate/step_control_internal.hpp"
#include "taut/simulate/step_policy.hpp"
#include "taut/simulate/step_probe.hpp"
#include "taut/simulate/stiff_forces.hpp"

namespace taut::detail {

inline constexpr double sliver = 1e-8;  ///< of a step: too short to be one

inline constexpr double largest_residual = 1e-4;  ///< with which a run goes on

/// The number of fixed steps that reach `duration`.
long step_count(double duration, double h);
/// The last of them, which ends at `duration`; h where only round-off tells them apart.
double last_step(double duration, double h);

class Run {
 public:
  Run(const System& system, State state, Method& method, const RunOptions& options);

  /// Before the first step.
  void start();
  /// Until the first step that ends at or after a time, or with so many steps done. False: the run
  /// is over.
  struct Pause {
    double time = std::numeric_limits<double>::infinity();
    long steps = std::numeric_limits<long>::max();
  };
  bool go_on(const Pause& pause);
  RunReport finish();

  /// What the rest of the run needs, in place of start().
  void archive(Archive& a);

  // For those who step by themselves: simulate/stepping.hpp
  void begin_fixed_steps();
  /// The next step of length h, and its judgement. Whether it was a plain step of the method.
  bool next_fixed_step(double h);
  /// After what constraints ask for has jumped.
  void settle_if_illegal() { activation_.start(state_, workspace_); }
  bool may_go_on() const { return report_.status == RunStatus::ok; }
  const State& state() const { return state_; }
  long steps() const { return progress_.step; }
  void put(const VecX& q) { state_.q = q; }
  /// The vectors of the state; back where they were in memory, they show what it is now.
  State take_state() { return std::move(state_); }
  void show_in(State memory) {
    memory = state_;  // of the same size: nothing is allocated
    std::swap(state_, memory);
  }
  const RunReport& report() const { return report_; }
  RunReport judged();
  Recording& recording() { return recording_; }
  double step_seconds() const { return std::chrono::duration<double>(stepping_).count(); }

 private:
  using Clock = std::chrono::steady_clock;

  bool is_automatic() const { return options_.tolerance > 0; }
  bool is_due(const Pause& pause) const {
    return progress_.step >= pause.steps || progress_.time >= pause.time;
  }

  // Fixed steps: fixed_steps.cpp
  void plan_fixed_steps();
  bool fixed_steps(const Pause& pause);
  /// is_whole: nothing jumped in it.
  StepReport fixed_step(double h, bool& is_whole);
  bool take_fixed_step(double h, double end);

  // Automatic steps: automatic_steps.cpp
  double first_step();
  void start_automatic_steps();
  bool automatic_steps(const Pause& pause);
  struct Attempt {
    StepReport step;
    double error = 0;  // relative to the tolerance
    int order = 1;     // the error is of size h^order
    bool ok = false;
  };
  Attempt attempt(double h);
  /// To where the last attempt began.
  void go_back();
  void drop_illegal_part(VecX& error);
  void take(const StepReport& step, bool whole_step_of_method);
  void record_until(double time, bool whole_step_of_method);
  void pass(const Activation::Jump& jump);

  // Both
  /// By the policy, timed.
  enum class Halving { as_needed, never };
  StepReport do_step(double h, Halving halving);
  /// The same, in as many parts as stiff forces need.
  StepReport do_parts(double h);
  /// Judges the state after a step: metrics, and whether the run has to end.
  void judge(const StepReport& step);
  void diverged(std::string reason);
  /// Asks the user, now and then.
  void ask(bool is_last);

  const System& system_;
  Method& method_;
  const RunOptions& options_;
  const double start_time_, size_, extent_, residual_bound_;
  State state_, before_, whole_, between_;
  std::vector<RowModes::Mode> modes_before_;
  std::vector<StepEvent> events_;  // of the step, not yet counted
  RunReport report_;
  Evidence evidence_;
  RunProgress progress_;
  Workspace workspace_;
  StepPolicy policy_;
  StiffForces stiff_;
  Metrics metrics_;
  Recording recording_;
  Activation activation_;
  Interpolation interpolation_;
  VecX error_q_, error_v_;
  long next_record_ = 1;
  struct {
    double length = 0, start = 0;
    long count = 0;
  } equal_;  // steps, the last ones
  double interval_ = 0;
  std::optional<ErrorNorm> norm_;
  std::optional<StepController> controller_;
  double next_step_ = 0;            // chosen
  std::optional<StepProbe> probe_;  // of fixed steps

  const Clock::time_point begin_ = Clock::now();
  const double cpu_begin_;
  double wall_before_ = 0, cpu_before_ = 0;  // s, of a run that goes on
  Clock::time_point asked_{};  // at once, then every so often: checkpoints begin it anew
  Clock::duration stepping_{};
  long judged_ = 0;  // steps
};

}  // namespace taut::detail
