// A step with more stops and strings than can be waited for: hundreds of strings, cloth whose
// strain is limited. Which of them act is decided for whole steps, motors and friction too, so that
// at its end
//
//   0 ≤ gap ⊥ force ≥ 0              of each stop and string,
//   slip ⊥ force within its bounds   of each motor and joint with friction.
//
// Methods that ask for C = 0 at the end of a step decide in their own solve (RowModes::in_solve,
// Promises::decides_laws), to their tolerance.
//
// Methods that integrate accelerations (lagrange, baumgarte, post, rk4_projected, dop853) know
// nothing of gaps: a string would act only after it is too long. For them the law is solved once
// before the step, for the velocity at its end,
//
//   gap + h·rate⁺ ≥ 0 ⊥ force ≥ 0,   v⁺ = v + h W (F − Jᵀλ),   rate⁺ = J v⁺ + h J̇ v,
//
// and what acts then is an equation whose gap closes evenly over the step: the velocity is changed
// so, and the method sees a smooth motion. At the end, what is beyond its bound after all is moved
// back.
//
// Methods without multipliers (penalty, implicit_springs, strain limits) have one-sided springs or
// sweeps; what their motors do is predicted in the same way.
//
// What begins to act within a step acts all through it: that is of first order, and nothing
// rebounds.
#pragma once

#include <vector>

#include "taut/methods/method.hpp"
#include "taut/simulate/law_rows.hpp"

namespace taut {

class Archive;

class WholeStep {
 public:
  StepReport step(const System& system, Method& method, double h, State& state, Workspace& w);

  void archive(Archive& a);

 private:
  using Mode = RowModes::Mode;

  void prepare(const State& state, Workspace& w);
  void predict(const System& system, double h, const State& state, Workspace& w,
               StepReport& report);
  /// The velocity with which the gaps of those that begin to act close over the step.
  void approach(const System& system, double h, State& state, Workspace& w, StepReport& report);
  /// Moves back what is beyond its bound.
  void close(const System& system, State& state, Workspace& w, StepReport& report);
  /// Of the limits that began to act in the step: they have been hit.
  void count_impacts(double h, const Workspace& w, StepReport& report);
  void count_energy(const System& system, Workspace& w, StepReport& report);

  LawRows laws_;
  std::vector<double> gap_, rate_;     // per mode, where the step began
  std::vector<char> acted_;            // per mode, in the last step
  bool has_new_ = false;               // limits that act
  bool has_hit_ = false;               // among them, what is no thread of cloth
  std::vector<double> shift_squared_;  // per mode: StepReport::impact_shift, over all steps
  State from_;                         // where the step began
  std::vector<Mode> before_;           // they were made to close gaps
  VecX v_free_, lambda_;
};

}  // namespace taut
