// The loop: steps a system with a method, collects metrics on the way, records, and stops when it
// must. It decides what to do about a step that did not go well; methods only report.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "taut/methods/method.hpp"
#include "taut/model/state.hpp"
#include "taut/model/system.hpp"

namespace taut {

/// A coordinate of a point whose true value over time is known.
struct ReferenceTrack {
  std::string label;  ///< of the point, for reports
  Point point;
  int axis = 1;                              ///< 0, 1, 2 for x, y, z
  double until = 0;                          ///< comparison stops here
  std::function<double(double time)> value;  ///< asked for increasing times
};

struct RunProgress {
  long step = 0, steps = 0;
  double time = 0;
};

/// Called for the initial state and then after every `record_every`-th step. `lambda` has the
/// multipliers of the step just done (zeros at the start).
using Recorder = std::function<void(const State& state, const VecX& lambda)>;

struct RunOptions {
  double step = 0.01;
  double duration = 10;
  long record_every = 1;
  std::string solver = "auto";
  /// Stop as diverged when the error of a constraint exceeds this; 0: 100 times the scene's extent.
  double error_bound = 0;
  /// A step that did not converge is let pass, and counted, while its residual is at most this;
  /// else the run stops as diverged. 0: 1e-4 times the scene's extent.
  double residual_bound = 0;
  std::optional<ReferenceTrack> reference;
  Recorder record;
  /// Asked now and then; false ends the run cleanly as interrupted.
  std::function<bool(const RunProgress&)> keep_going;
};

enum class RunStatus { ok, diverged, interrupted };
std::string_view status_text(RunStatus status);

struct RunReport {
  RunStatus status = RunStatus::ok;
  std::string reason;  ///< why it diverged, in words; else empty
  double step = 0;
  long steps = 0;   ///< done
  double time = 0;  ///< reached
  long diverged_at_step = -1;

  struct {
    double accumulated = 0, max = 0, final = 0;
  } constraint_error;  ///< of single constraints, in m (rad for angles)

  struct {
    double initial = 0, final = 0, max_abs_error = 0;
    bool conservative = true;  ///< whether it should stay constant in this scene
  } energy;

  struct Deviation {
    std::string point;
    char axis = 'y';
    double max = 0, rms = 0, until = 0;
  };
  std::optional<Deviation> reference_deviation;

  struct {
    double wall_seconds = 0, cpu_seconds = 0, microseconds_per_step = 0;
    long linear_solves = 0, iterations = 0;
    long regularized_steps = 0;  ///< steps in which a linear system was singular
    long unconverged_steps = 0;  ///< steps let pass with a residual above the method's tolerance
    std::string solver;
  } cost;

  State final_state;
};

RunReport simulate(const System& system, State state, Method& method, const RunOptions& options);

/// How large a scene is: the largest distance of a body or a world-fixed anchor from their common
/// centre, or the largest constraint error if that is larger; at least 1e-3.
double extent(const System& system, const State& state);

}  // namespace taut
