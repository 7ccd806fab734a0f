// What the parts of a step with contacts share (contact_step.hpp).
#pragma once

#include "taut/simulate/bounded_step.hpp"
#include "taut/simulate/contact_equations.hpp"
#include "taut/simulate/contact_loads.hpp"
#include "taut/simulate/contact_problem.hpp"
#include "taut/simulate/contact_scale.hpp"
#include "taut/simulate/contact_sleep.hpp"

namespace taut {

/// Whether a body turns noticeably in a time.
bool turns(const System& system, const State& state, double time);

struct ContactWork {
  BoundedStep bounded;  ///< does what has no contacts
  ContactSleep sleep;
  ContactScale scale;          ///< of the part
  ContactLoads loads;          ///< of the last part that was done
  ContactRows at_end;          ///< contacts where a part ends, or its last try
  ContactEquations equations;  ///< of the problem
  ContactProblem problem;

  /// The loads are those of the problem just solved.
  void remember(const ContactRows& rows, const KeptVec& u, double length) {
    loads.remember(rows, problem, u, length, scale.opening());
  }
  /// A step of the method from a state, with what holds those asleep.
  StepReport step(const System& system, Method& method, double length, State& state, Workspace& w);
  /// Whether something got through something else since `from`.
  bool passes(const System& system, const State& from, const State& state, double length);

 private:
  Pose from_, to_;
  VecX no_external_;  // memory for Workspace's, which is empty between steps
};

}  // namespace taut
