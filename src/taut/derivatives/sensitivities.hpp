// Derivatives of a run, forwards: of the end, and of sensors at all recorded times, with respect to
// a few parameters. Each costs about as much as a step does, or less. docs/derivatives.md has the
// equations.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "taut/derivatives/model_family.hpp"
#include "taut/derivatives/perturbation.hpp"
#include "taut/methods/method.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut {

/// With which method, and how its derivatives are found.
struct DerivedMethod {
  const MethodInfo* info = nullptr;
  std::vector<OptionValue> options = {};
  std::unique_ptr<Method> make() const { return info->make(options); }
};

/// Where the set of rows that act, or of contacts, is not the same before and after.
struct ActiveChange {
  double time = 0;
  std::string what;      ///< "impact", "cut at an event", …
  std::string of;        ///< the constraint, as messages name it; empty: contacts, or several
  bool is_edge = false;  ///< there the derivative is one-sided: nearby runs change differently
};

/// How the derivatives of a run were found, and how far they can be trusted.
struct DerivativeReport {
  long steps = 0;         ///< in all
  long by_theorem = 0;    ///< of them, by the implicit function theorem
  long by_steps = 0;      ///< of them, by differences of single steps
  long by_stretches = 0;  ///< of them, by differences of stretches with events and contacts
  std::vector<ActiveChange> changes;
  std::vector<std::string> doubts;  ///< why they may be wrong, or one-sided
  bool is_trusted() const { return doubts.empty(); }
};

struct SensitivityOptions {
  /// The initial state, too: each displacement and each velocity is a column, after the parameters.
  bool initial_state = false;
  bool forces = false;  ///< λ at the end, and its derivatives
};

struct Sensitivities {
  std::vector<std::string> columns;  ///< with respect to what
  std::vector<std::string> sensors;
  std::vector<double> times;
  std::vector<std::vector<double>> values;  ///< per time, of each sensor
  std::vector<MatX> slopes;                 ///< per time: sensor × column
  State end;
  std::vector<Perturbation> end_slopes;  ///< per column: tangent vectors (perturbation.hpp)
  VecX lambda;                           ///< at the end, where wanted
  MatX lambda_slopes;                    ///< row × column
  RunReport run;
  DerivativeReport report;
};

/// Runs the family at its parameters' values with fixed steps, as simulate() does. Throws Error for
/// steps that are chosen on the way, for what has no derivative, and for a run that diverges.
Sensitivities sensitivities(const ModelFamily& family, const DerivedMethod& method,
                            const RunOptions& options, const SensitivityOptions& wanted = {});

}  // namespace taut
