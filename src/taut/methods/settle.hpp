// Legal starts. When constraints begin to act on a state that violates them (an illegal start, a
// jump in a driven one), methods that look only at the end of their step turn the violation into
// velocity, and some keep it for ever. A settling step brings the state to the constraints once.
#pragma once

#include "taut/methods/frozen_direction.hpp"
#include "taut/methods/method.hpp"

namespace taut {

/// How far a state is from being legal.
struct Violation {
  double position = 0;  ///< max |C|
  double velocity = 0;  ///< max |J v + C_t|
};

struct SettleReport {
  Violation before, after;
  double position_change = 0;  ///< largest, beyond what the free motion does in the same time
  double velocity_change = 0;  ///< largest, of a velocity
  double impulse = 0;          ///< largest |p| of a row, N·s
  double time = 0;             ///< taken by it: the h it was given, or a part of it
  StepReport step;
};

class Settle {
 public:
  Violation violation(const System& system, const State& state, Workspace& workspace);

  /// Brings the state to the constraints within the time h, or, where the impulses along the
  /// constraint directions of the start have no solution, within h/2, h/4, … The impulses are
  /// those of the constraints themselves, so momentum and angular momentum stay where the
  /// constraints let them. Where that fails throughout: a projection, at the time `least` from now.
  /// No less time than `least` is taken: a jump on the way must be behind it.
  SettleReport step(const System& system, double h, State& state, Workspace& workspace,
                    double least = 0);

 private:
  bool try_impulses(const System& system, double h, State& state, Workspace& workspace,
                    SettleReport& settled);

  FrozenDirection direction_;
  VecX v_, q_, free_q_, change_;
};

}  // namespace taut
