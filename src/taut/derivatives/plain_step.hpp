// Derivatives through one plain step of any method: by the implicit function theorem where the
// equations are known, and else by differences of the step alone.
#pragma once

#include <optional>

#include "taut/derivatives/implicit_step.hpp"
#include "taut/derivatives/variants.hpp"

namespace taut::detail {

/// The equations of a method, where they are known.
std::optional<Formula> formula_of(const DerivedMethod& method);

/// Its derivatives need steps that are solved to the last digit: where a method iterates and no
/// tolerance is given, the tightest.
DerivedMethod tightened(DerivedMethod method, const System& system);

class PlainStep {
 public:
  PlainStep(const DerivedMethod& method, const State& start, Variants& variants, double duration);

  /// Whether the record is what the method's equations, or the method started anew, make of its
  /// start. `previous`: the step before, if that was plain, too.
  bool accept(StepRecord& step, const StepRecord* previous);
  /// Moves all columns on by the accepted step.
  void advance(const StepRecord& step, std::vector<Column>& columns);

  /// What speaks against the derivatives of the steps so far.
  void add_doubts(std::vector<std::string>& doubts) const;
  ImplicitStep* implicit() { return implicit_ ? &*implicit_ : nullptr; }
  /// Of a parameter, for the adjoint, at the step that was linearized last.
  ResidualSlope residual_slope(const StepRecord& step, const Column& column);
  /// x⁺ of x under an instance's model.
  State done(Instance& instance, const StepRecord& step, const State& from);
  /// Derivative of the accepted step along a direction, the model fixed.
  Perturbation along(const StepRecord& step, const Perturbation& dx);

 private:
  Perturbation by_model(const StepRecord& step, const Column& column);

  bool has_memory_;
  std::optional<ImplicitStep> implicit_;
  Variants& variants_;
  double duration_;
  State nominal_end_;
};

/// The factor with which a direction makes a small displacement.
double small_factor(const System& system, const RowPattern& pattern, const State& state,
                    const Perturbation& dx, double duration);

}  // namespace taut::detail
