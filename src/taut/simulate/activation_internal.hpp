// When constraints begin to act on a state that violates them: at the start, and when a driven one
// jumps.
#pragma once

#include <optional>

#include "taut/simulate/bounded_step.hpp"
#include "taut/simulate/settle.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut::detail {

/// A violation of this part of the extent, or of speeds, is round-off in a scene.
inline constexpr double legal = 1e-9;

class Activation {
 public:
  Activation(const System& system, const RunOptions& options, double extent, BoundedStep& bounded,
             RunReport& report);

  /// Settles the state if it is illegal.
  void start(State& state, Workspace& workspace);

  /// Where in the step a driven constraint, or its rate, jumps, or a force, or, in scenes with
  /// contacts, the acceleration of a drive: between the two times.
  struct Jump {
    double before, after;
    bool is_of_force = false;  ///< then there is nothing to settle
  };
  std::optional<Jump> find_jump(const State& state, double h, Workspace& workspace);

  /// Settles the state, and notes it in the report.
  StepReport settle(State& state, Workspace& workspace);

 private:
  struct Worst {
    double error = 0;
    int constraint = -1;
    std::string_view unit;
  };
  Worst worst_violation(const State& state) const;
  /// A start that had to be moved farther than the scene is large was hardly meant.
  void warn_if_far(double spread, const Worst& worst);
  /// Nor was one that nothing can move.
  void warn_if_undirected(const Worst& worst, const State& state, Workspace& w);
  /// Of rows that depend on time, at pose_.
  void sample(double time, const Workspace& workspace, VecX& C, VecX& C_t);
  /// C_tt, the same.
  void sample_drives(double time, const Workspace& workspace, VecX& C_tt);
  /// The acceleration of all bodies by forces that may depend on time, at pose_.
  void sample_forces(double time, const VecX& v, VecX& acceleration);
  std::optional<Jump> jump_of_rows(const State& state, double h, Workspace& workspace);
  std::optional<Jump> jump_of_forces(const State& state, double h);
  std::optional<Jump> kink_of_rows(const State& state, double h, Workspace& workspace);
  /// Halves (a, b), towards the larger defect; what is no jump has less and less of it.
  /// take(time, i) makes sample i of three, defect(i, j, length) compares two.
  template <class Take, class Defect>
  static std::optional<Jump> bisect(double a, double b, double least, const Take& take,
                                    const Defect& defect);

  const System& system_;
  BoundedStep& bounded_;
  RunReport& report_;
  bool active_, driven_ = false, pushed_ = false, may_open_ = false;
  double position_bound_, speed_;  // speed_: one that a slow scene has
  Settle settle_;
  Pose pose_;
  Rows rows_;
  VecX C_[3], rate_[3], still_;
};

}  // namespace taut::detail
