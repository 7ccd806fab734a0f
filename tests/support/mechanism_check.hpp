// Runs methods on random mechanisms and judges them: which results are wrong although the run says
// "ok"?
//
// A result is wrong only relative to what the method can do. Errors at smaller and smaller steps
// are compared: one that is large, and does not fall as the method's order says, is wrong.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "support/random_mechanism.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut::testing {

/// All that random mechanisms are run with.
std::vector<std::string> tested_methods();

struct MethodRun {
  long steps = 0;
  RunStatus status = RunStatus::ok;
  std::string reason;
  bool is_trusted = true;      ///< its own verdict
  bool is_compromise = false;  ///< it says that constraints contradicted each other
  bool has_warned = false;     ///< of that, or of steps that did not converge
  double error = 0;         ///< largest at the sample times, relative to the scene's size, or rad
  double energy_error = 0;  ///< where energy stays, relative to the largest kinetic energy
};

struct Verdict {
  std::string method;
  std::vector<MethodRun> runs;  ///< each with half the step of the one before
  bool is_ok = false;           ///< the last run says so
  bool is_wrong = false;
  double floor = 0;  ///< errors below are as good as none
};

/// What the runs of `check` begin with.
long first_steps(const RandomMechanism& random);
/// A run that takes longer than `most_seconds` is interrupted, and then not "ok".
MethodRun run_method(const RandomMechanism& random, const std::string& method, long steps,
                     double most_seconds = INFINITY);
Verdict check(const RandomMechanism& random, const std::string& method,
              double most_seconds = INFINITY);

/// A row of a table.
std::string verdict_text(const RandomMechanism& random, const Verdict& verdict);

}  // namespace taut::testing
