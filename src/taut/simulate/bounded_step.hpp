// A step of any method with limits and motors (RowLaw): complementarity, solved exactly by finding
// which of these few rows are equations in this step.
//
// Pivoting. The step is done with a guess (what the state shows, or what was so in the last step).
// Where the answer contradicts it (a stop that pulls, a motor beyond its bound, a motor at its
// bound that has overtaken its speed) those rows are changed, and the step is done again: all at
// once first, then one at a time, lowest first, which for a positive definite matrix ends (Murty
// 1974).
//
// Hitting a stop. When a joint has passed a stop at the end of a step, the step is cut where it
// reaches it, found by interpolation to round-off. There an impact changes the velocity, with the
// stop's coefficient of restitution, and the method goes on with the rest of the step. So a method
// keeps its order, and sees no kink.
//
// Limits that are not located (strings, springs of cloth with a largest strain) come in thousands
// and change all the time. They act over whole steps; a few passes find out which, and what these
// leave, a little too long or a weak push, is left to the next step.
#pragma once

#include <vector>

#include "taut/methods/method.hpp"

namespace taut {

/// Adds what a part of a step cost, and what happened in it, to the whole.
void add_part(StepReport& whole, const StepReport& part);

class BoundedStep {
 public:
  StepReport step(const System& system, Method& method, double h, State& state, Workspace& w);

  /// Makes equations of the stops that a state violates, so that it can be settled.
  void touch(const System& system, const State& state, Workspace& w);

 private:
  using Mode = RowModes::Mode;
  enum class Side { lower, upper };
  struct Stop {
    double gap = 0;   // to the nearest bound, below 0: beyond it
    double rate = 0;  // of the gap
    Side side = Side::lower;
  };

  void look(const System& system, const State& state, Workspace& w);
  Stop stop(const Mode& mode) const;
  void guess(const System& system, const State& state, Workspace& w);
  void impact(const System& system, State& state, Workspace& w, StepReport& report);
  bool has_new_limit(const Workspace& w) const;
  StepReport pivot(const System& system, Method& method, double h, State& state, Workspace& w);
  bool revise(Workspace& w, int pass);
  /// The stop that is passed at `end`; nullptr where there is none.
  const Mode* passed(const Workspace& w) const;
  double reach(const System& system, Method& method, double h, State& state, Workspace& w,
               StepReport& report);
  void set(Mode& mode, bool is_equation, double held, Workspace& w) const;

  Rows raw_;  // as the constraints say them
  Pose pose_;
  VecX WJ_, rate_, rest_;
  State from_;
  std::vector<char> active_;   // per mode: a limit that was an equation at the end of the last step
  std::vector<double> slip_;   // per mode: of a motor, its speed minus the wanted one at the start
  std::vector<int> switches_;  // per mode: how often it was changed in this step
  std::vector<char> touching_;  // per mode: a limit that was one when this step began
};

}  // namespace taut
