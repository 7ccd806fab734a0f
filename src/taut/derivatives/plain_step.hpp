// Derivatives through one plain step of any method: by the implicit function theorem where the
// equations are known, and else by differences of the step alone.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

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
  /// Whether the step accepted last goes by the theorem: it meets the method's equations. (Methods
  /// that leave rows out, because others imply them, do not meet all.)
  bool is_by_theorem() const { return is_by_theorem_; }
  /// Moves all columns on by the accepted step.
  void advance(const StepRecord& step, std::vector<Column>& columns);
  /// By the theorem: for the adjoint `a` of x⁺ that of x, and of the state before it, and what the
  /// step adds to those of the parameters.
  void adjoint(const StepRecord& step, const Perturbation& a, Perturbation& out,
               Perturbation& before, VecX& parameters);

  /// What speaks against the derivatives of the steps so far.
  void add_doubts(std::vector<std::string>& doubts) const;

 private:
  bool meets_equations(const StepRecord& step);
  bool may_end_rows(const StepRecord& step) const;
  bool may_jump(const StepRecord& step);
  void note_kink(const StepRecord& step, const Column& column);
  void split(const StepRecord& step);
  void linearize(const StepRecord& step);
  void tangent(const StepRecord& step, const Column& column, Perturbation& out);
  bool advance_by_theorem(const StepRecord& step, std::vector<Column>& columns);
  ResidualSlope residual_slope(Formula formula, const StepRecord& step, const Column& column);
  /// x⁺ of x under an instance's model.
  State done(Instance& instance, const StepRecord& step, const State& from);
  /// Derivative of the accepted step along a direction, the model fixed.
  Perturbation along(const StepRecord& step, const Perturbation& dx);
  Perturbation by_model(const StepRecord& step, const Column& column);

  bool has_memory_, is_by_theorem_ = false;
  std::optional<ImplicitStep> implicit_;
  // Of rattle, two steps: to q⁺ with the velocity half way, and from there to v⁺, as if the bodies
  // went on with that velocity for half a step.
  std::optional<ImplicitStep> projected_;
  StepRecord half_, stage_;
  Variants& variants_;
  double duration_;
  double within_ = 0;  // a time in the step: the inputs there are those of the step
  State nominal_end_;
  std::vector<double> ends_of_rows_;                   // that parameters move, s
  std::vector<std::pair<std::string, double>> kinks_;  // of columns, and when first
};

/// The factor with which a direction makes a small displacement.
double small_factor(const System& system, const RowPattern& pattern, const State& state,
                    const Perturbation& dx, double duration);

}  // namespace taut::detail
