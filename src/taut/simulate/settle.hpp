// Legal starts. When constraints begin to act on a state that violates them (an illegal start, a
// jump in a driven one), methods that look only at the end of their step turn the violation into
// velocity, and some keep it for ever. Settling brings the state to the constraints once, at once.
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
  double position_change = 0;  ///< largest
  double velocity_change = 0;  ///< largest
  double impulse = 0;          ///< largest change of a momentum, N·s
  StepReport step;
};

class Settle {
 public:
  Violation violation(const System& system, const State& state, Workspace& workspace);

  /// Position and velocity legal, time as it is. Nothing depends on a step, what is at rest stays
  /// at rest, and momentum and angular momentum stay where the constraints let them (angular
  /// momentum of rigid bodies up to the turn they make).
  SettleReport apply(const System& system, State& state, Workspace& workspace);

 private:
  bool carry_momentum(const System& system, const VecX& v, Workspace& workspace, VecX& out,
                      StepReport& report);

  FrozenDirection direction_;
  long topology_ = -1;
  RowPattern given_;  // with room for G of the rows as given, when it was last wanted
  State start_;
  VecX displacement_, q_, v_, change_, product_;
  BicgstabScratch krylov_;
};

}  // namespace taut
