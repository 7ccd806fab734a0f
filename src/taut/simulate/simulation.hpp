// The loop: steps a system with a method, collects metrics on the way, records, and stops when it
// must. It decides what to do about a step that did not go well; methods only report.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "taut/base/type_info.hpp"
#include "taut/methods/method.hpp"
#include "taut/model/state.hpp"
#include "taut/model/system.hpp"

namespace taut {

class CheckpointStore;

/// A coordinate of a point whose true value over time is known.
struct ReferenceTrack {
  std::string label;  ///< of the point, for reports
  Point point;
  int axis = 1;                              ///< 0, 1, 2 for x, y, z
  double until = 0;                          ///< comparison stops here
  std::function<double(double time)> value;  ///< asked for increasing times
};

struct RunProgress {
  long step = 0, steps = 0;  ///< done; in all, 0 when steps are chosen on the way
  double time = 0;
  double fraction = 0;  ///< of the duration
};

/// What to do about a state that violates the constraints when they begin to act on it.
enum class Start {
  settle,  ///< bring it to them first, and report what was changed: methods/settle.hpp
  as_is,   ///< leave it to the method
};
template <>
struct Choices<Start> {
  static constexpr std::array<std::string_view, 2> names{"settle", "as_is"};
};

/// Called for the initial state and then at every recording time. `lambda` has the constraint
/// forces that belong to this state: methods/projection.hpp, reactions().
using Recorder = std::function<void(const State& state, const VecX& lambda)>;
/// The same without the forces, which cost about as much as a step.
using StateRecorder = std::function<void(const State& state)>;

/// A joint at a recording time.
struct JointSample {
  struct Moved {
    double value = 0, rate = 0;  ///< whole turns are counted
  };
  const Joint* joint = nullptr;
  std::vector<Moved> coordinates;  ///< as the joint lists them
  /// What a does to b: the force, and the torque about b's place of the joint, in the world's
  /// directions. Motors, limits and springs in the joint are not part of it.
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
};
using JointRecorder = std::function<void(double time, const std::vector<JointSample>& joints)>;

/// Per named force of the system, at a recording time: what it exerted in the last part of a step,
/// where that is not what its law says at its end; else NaN. simulate/acting_forces.hpp
using ExertedRecorder = std::function<void(const std::vector<double>& exerted)>;

/// Two shapes that press on each other, at one point, at a recording time.
struct ContactSample {
  std::string a, b;  ///< "box", "box/lid" or, of the world, "ground"
  BodyId body_a, body_b;
  Vec3 point = Vec3::Zero();    ///< in the world, between the two surfaces
  Vec3 normal = Vec3::UnitZ();  ///< from b to a
  double gap = 0;               ///< m; below 0: an overlap
  Vec3 force = Vec3::Zero();    ///< N, on a, over the last part of a step
  Vec3 slip = Vec3::Zero();     ///< m/s: velocity of a relative to b, along the surfaces
  Vec3 torque = Vec3::Zero();   ///< N·m, on a, the same: what resists rolling and spinning
};
using ContactRecorder =
    std::function<void(double time, const std::vector<ContactSample>& contacts)>;

struct RunOptions {
  double step = 0.01;
  double duration = 10;
  long record_every = 1;
  /// Above 0: steps are chosen so that the error of each stays below this, relative to the scene's
  /// extent and to its speeds. `step` and `record_every` then mean nothing.
  double tolerance = 0;
  double record_interval = 0;  ///< s, with chosen steps; 0: a thousandth of the duration
  Start start = Start::settle;
  /// A step that does not converge is done again in 2, 4, … parts, up to 2 to the power of this.
  int max_halvings = 6;
  /// Steps that are too long for what happens in them are done in parts; each of these is as many
  /// times shorter. For runs that others are compared with: half a step in the same parts is no
  /// comparison.
  int finer_parts = 1;
  bool reactions = false;  ///< measure constraint forces at recording times without a recorder, too
  std::string solver = "auto";
  std::string contact_solver = "exact";  ///< solve/contact_solvers.hpp
  double contact_time = 0;  ///< s that a solve for contacts may take; 0: any. Results then depend
                            ///< on the clock
  /// Stop as diverged when the error of a constraint exceeds this; 0: 100 times the scene's extent.
  double error_bound = 0;
  /// A step that did not converge is let pass, and counted, while its residual is at most this;
  /// else the run stops as diverged. 0: 1e-4, or 1e-2 where contacts are solved for by real_time.
  double residual_bound = 0;
  std::optional<ReferenceTrack> reference;
  ExertedRecorder record_exerted;  ///< before all others
  StateRecorder record_states;
  Recorder record;                  ///< after `record_states`
  JointRecorder record_joints;      ///< after `record`, where there are joints
  ContactRecorder record_contacts;  ///< after those, where bodies have shapes
  /// Called for what was done beside plain steps of the method: impacts, cuts, repetitions.
  std::function<void(const StepEvent& event)> record_event;
  /// Asked now and then; false ends the run cleanly as interrupted.
  std::function<bool(const RunProgress&)> keep_going;
  /// Where the run keeps what it needs to go on if it is stopped (simulate/checkpoint.hpp): at the
  /// end of the first step in each interval of so many s simulated, or of so many steps.
  CheckpointStore* checkpoints = nullptr;
  double checkpoint_interval = 0;
  long checkpoint_steps = 0;
};

enum class RunStatus { ok, diverged, interrupted };
std::string_view status_text(RunStatus status);

/// How far a run can be trusted: by running it again with half the step (analysis/verify.hpp).
struct Verification {
  double wanted = 0;          ///< largest error that was asked for, of the scene's size
  double error = 0;           ///< estimated largest error of a position, m, where compared
  double relative_error = 0;  ///< of the scene's size, over the whole run
  double compared_until = 0;  ///< s: of long runs only a first stretch may be compared
  double until = 0;           ///< s: up to then the error is within what was asked for
  bool is_met = false;        ///< over the whole run
  bool is_sensitive = false;  ///< it is not, but the motion itself makes much of any little error
  std::string other;          ///< the other run, in words
};

struct RunReport {
  RunStatus status = RunStatus::ok;
  /// What speaks against the result, one sentence each. A run that ended ok may be wrong.
  std::vector<std::string> doubts;
  /// Those of them that are estimates: a comparison with half the step tells better.
  std::vector<std::string> estimated_doubts;
  std::vector<std::string> remarks;  ///< what should be known of it, and is no reason for doubt
  bool is_trusted() const { return doubts.empty(); }
  std::string reason;  ///< why it diverged, in words; else empty
  double step = 0;     ///< the mean one, where they were chosen on the way
  long steps = 0;      ///< done
  double time = 0;     ///< reached
  long diverged_at_step = -1;

  struct {
    double accumulated = 0, max = 0, final = 0;
    std::string worst;  ///< the constraint that had the largest error; empty if there was none
    double worst_at = 0;
  } constraint_error;  ///< of single constraints, in m (rad for angles)

  struct RateError {
    double max = 0, final = 0;
    std::string worst;  ///< the constraint whose row had the largest error; empty: none had any
    double worst_at = 0;
  };
  /// |J v + C_t| of rows on velocities, in m/s (rad/s for angles); only where there are such rows.
  std::optional<RateError> rate_error;

  struct {
    double initial = 0, final = 0, max_abs_error = 0;
    bool conservative = true;  ///< whether it should stay constant in this scene
    double work = 0;  ///< done by constraints that depend on time, motors and friction, where known
    double friction = 0;  ///< that sliding contacts took away, below 0
  } energy;               ///< its error does not count that work, nor what settling changed

  struct Activation {
    long count = 0;             ///< how often a state was settled
    std::vector<double> times;  ///< of them
    double position_change = 0, velocity_change = 0, impulse = 0;  ///< largest
    double error_before = 0, error_after = 0;                      ///< largest |C|
    double rate_before = 0;                                        ///< largest |J v + C_t|
    double energy_change = 0;                                      ///< in all
    std::string worst;  ///< the constraint whose error was `error_before`
  } activation;

  struct {
    long count = 0;
    double energy_change = 0;
  } impacts;  ///< of joints against their stops, and of shapes against each other

  struct ContactPair {
    std::string a, b;
    double largest_force = 0, at = 0;  ///< N, of all its points together, over the recorded states
    double slip = 0;                   ///< m/s: largest
    Vec3 final_force = Vec3::Zero();   ///< on a, at the end
  };
  struct {
    int most = 0, final = 0;   ///< that bore a load
    double largest_force = 0;  ///< N
    double overlap = 0;        ///< m: largest, before it was corrected
    double slip = 0;           ///< m/s: largest, over the recorded states, as for the reactions
    std::vector<ContactPair> pairs;
  } contacts;

  struct Control {
    bool automatic = false;
    double tolerance = 0;
    long accepted = 0, rejected = 0;
    double smallest = 0, largest = 0;  ///< accepted step; the last one, cut to fit, does not count
  } control;

  struct Reaction {
    std::string constraint;
    std::string_view unit;      ///< N, or N·m for angles
    double largest = 0;         ///< of the vector its rows of that unit make, over the recorded
                                ///< states
    double at = 0;              ///< when
    std::vector<double> final;  ///< per row
  };
  std::vector<Reaction> reactions;  ///< per constraint; empty without recorder and `reactions`

  struct JointSummary {
    std::string name;
    std::string_view type;
    struct Moved {
      std::string_view name, unit;
      double final = 0, final_rate = 0, least = 0, largest = 0, fastest = 0;
    };
    std::vector<Moved> coordinates;
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();  ///< at the end: see JointSample
    double largest_force = 0, largest_force_at = 0;
    double largest_torque = 0, largest_torque_at = 0;
  };
  std::vector<JointSummary> joints;  ///< over the recorded states, as the reactions

  struct Deviation {
    std::string point;
    char axis = 'y';
    double max = 0, rms = 0, until = 0;
  };
  std::optional<Deviation> reference_deviation;

  struct SensorSummary {
    std::string name, unit;
    double least = 0, least_at = 0, largest = 0, largest_at = 0, final = 0;
    long not_finite = 0;       ///< so many values do not count, because they are no number
    double not_finite_at = 0;  ///< the first of them
  };
  std::vector<SensorSummary> sensors;  ///< over the recorded states, as the reactions
  std::optional<Verification> verification;
  /// What the errors of all steps may add up to, of the scene's size or in rad, as far as a few of
  /// them tell (simulate/step_probe.hpp); not where none could be looked at.
  std::optional<double> estimated_error;

  struct {
    double wall_seconds = 0, cpu_seconds = 0, microseconds_per_step = 0;
    long linear_solves = 0, iterations = 0;  ///< of the method
    long linear_iterations = 0;              ///< of iterative linear solvers
    void add(const StepCost& step) {
      linear_solves += step.linear_solves;
      iterations += step.iterations;
      linear_iterations += step.linear_iterations;
    }
    long regularized_steps = 0;  ///< steps in which a linear system was singular
    long unconverged_steps = 0;  ///< steps let pass with a residual above the method's tolerance
    long compromise_steps = 0;   ///< steps in which constraints contradicted each other
    long halved_steps = 0;       ///< steps that were solved only in parts
    std::string solver;
  } cost;

  struct {
    double mean = 0;  ///< per step
    int most = 0;
  } active_limits;  ///< rows of stops and strings that were equations

  /// How often each kind of StepEvent happened; with chosen steps, in rejected ones, too.
  std::array<long, StepEvent::kinds> events{};

  std::optional<State> singular_state;  ///< after the first step that was singular or a compromise
  /// What is wrong with the rows there, in words. The loop leaves it empty: analysis/diagnosis.hpp.
  std::vector<std::string> findings;
  std::vector<std::string> warnings;  ///< about a scene that is probably not what was meant

  State final_state;
};

/// "trusted", "suspect", or "sensitive": trusted until verification->until
std::string_view verdict_text(const RunReport& report);

RunReport simulate(const System& system, State state, Method& method, const RunOptions& options);

/// The largest distance of a body or a world-fixed anchor from their common centre; if all are in
/// one place, the size of the bodies; 1e-3 m if they have none.
double spread(const System& system, const State& state);
/// How large a scene is: its spread, or the largest constraint error if that is larger.
double extent(const System& system, const State& state);

}  // namespace taut
