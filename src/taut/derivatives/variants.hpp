// The models near one, by which derivatives with respect to parameters are differences: of
// residuals and of starts, and never of a run where there is a theorem.
#pragma once

#include <memory>
#include <vector>

#include "taut/derivatives/implicit_equations.hpp"
#include "taut/derivatives/jump_watch.hpp"
#include "taut/derivatives/observer.hpp"
#include "taut/derivatives/perturbation.hpp"
#include "taut/derivatives/sensitivities.hpp"

namespace taut::detail {

/// A model with what it takes to evaluate it.
struct Instance {
  std::unique_ptr<const Model> model;
  std::unique_ptr<ImplicitEquations> equations;
  std::unique_ptr<Observer> observer;
  std::unique_ptr<Method> method;        // for single steps of others
  std::unique_ptr<Workspace> workspace;  // … and theirs
  State start;                           // legal
  std::unique_ptr<JumpWatch> jumps;      // of displaced parameters

  explicit Instance(Model made);
};

/// One derivative: d/ds = Σ weight·f(at s = offset·ε)/ε, where s moves the parameter and everything
/// that depends on it.
struct Column {
  std::string name;
  double epsilon = 0;
  struct Sample {
    std::shared_ptr<Instance> instance;  ///< of a displaced parameter; or the model itself
    double offset = 0, weight = 0;
    State start;  ///< legal
  };
  std::vector<Sample> samples;
  bool moves_model = false;
  bool has_edge = false;    ///< the start changes otherwise on one side than on the other
  Perturbation dx, before;  ///< of the state now, and of the one a step earlier

  /// Σ weight·f(sample)/ε, of something that can be scaled and added up.
  template <class T, class Function>
  T slope(T zero, const Function& of) const {
    for (const Sample& sample : samples) zero += (sample.weight / epsilon) * of(sample);
    return zero;
  }
};

/// Whether changes on both sides of a parameter are those of a kink, or a jump: what is curved
/// changes by much less than this over so short a way. `nothing`: of a change.
inline bool is_kink(const VecX& up, const VecX& down, double nothing) {
  constexpr double much = 0.02;
  const double size = up.norm() + down.norm();
  return size > nothing && (up + down).norm() > much * size;
}

/// The nominal model and all columns, with the derivatives of the legal start.
struct Variants {
  std::shared_ptr<Instance> nominal;
  std::vector<Column> columns;

  /// `middle`: the nominal model.
  Variants(std::shared_ptr<Instance> middle, const ModelFamily& family, const DerivedMethod& method,
           const RunOptions& options, const SensitivityOptions& wanted);
};

/// Where a run begins: an illegal start is settled.
State legal_start(const Model& model, const State& start, const DerivedMethod& method,
                  const RunOptions& options);

/// The family's model for values beside its own, of the parameter with that name.
Model made(const ModelFamily& family, const VecX& values, const std::string& name);

/// sensitivities() with a nominal model that is there already.
Sensitivities forwards(std::shared_ptr<Instance> middle, const ModelFamily& family,
                       const DerivedMethod& method, const RunOptions& options,
                       const SensitivityOptions& wanted);
/// Throws Error for steps that are chosen on the way, and numbers that make no sense.
void require_fixed_steps(const RunOptions& options);

}  // namespace taut::detail
