// One step, with whatever it takes. Methods only report how a step went; what is done about it is
// decided here, and nowhere else:
//
//   halve      a step that fails is done in 2, 4, … parts; also one whose       StepPolicy
//              own estimate of its error is above Method::step_error
//   all rows   rows left out, as following from others, are taken in again      StepPolicy
//   cloth      where it touches, a step of its own does it                      SheetStep
//   contacts   a step is cut where shapes meet, and knows which contacts bear   ContactStep
//   events     … where stops, strings, motors and friction change               BoundedStep
//   laws       with very many of these, the solve of the method decides         WholeStep
//
// each calling the next, and the last the method. What happened is in StepReport::trace. (Newton's
// methods shorten and soften their own iterations: methods/newton_step.hpp.)
#pragma once

#include "taut/simulate/sheet_step.hpp"

namespace taut {

class Archive;

struct HalvingLimits {
  int max_halvings = 6;
  /// A residual of this size is round-off, and not worth halving.
  double harmless = 1e-9;
  /// After halving that did not help, it is tried again in twice as many steps, up to so many.
  long longest_pause = 1024;
};

class StepPolicy {
 public:
  explicit StepPolicy(HalvingLimits limits = {}) : limits_(limits) {}

  /// Before the first step: which rows follow from others.
  void start(const System& system, const State& state, Workspace& w);
  /// Advances the state by h.
  StepReport step(const System& system, Method& method, double h, State& state, Workspace& w);
  /// The same without halving, for those who choose the length of steps themselves.
  StepReport step_once(const System& system, Method& method, double h, State& state, Workspace& w);

  /// What the next step takes from those before it.
  void archive(Archive& a, const System& system);

  BoundedStep& bounded() { return sheets_.contacts().bounded(); }
  ContactStep& contacts() { return sheets_.contacts(); }
  SheetStep& sheets() { return sheets_; }
  const SheetStep& sheets() const { return sheets_; }

 private:
  StepReport with_rows(const System& system, Method& method, double h, State& state, Workspace& w);
  /// with_rows(), and the estimate of its error is not ignored.
  StepReport judged(const System& system, Method& method, double h, State& state, Workspace& w);
  /// False at the first part that fails, with its status and residual.
  bool try_parts(const System& system, Method& method, double h, int parts, State& state,
                 Workspace& w, StepReport& report);

  HalvingLimits limits_;
  SheetStep sheets_;
  State before_;   // the step
  State left_at_;  // where a step began that leaves dependent rows out
  // … what limits and motors were then
  std::vector<RowModes::Mode> modes_before_, modes_left_at_;
  VecX lambda_before_;  // the step
  double fastest_ = 0;  // so far, in units of the scene, or rad, per second
  long steps_ = 0;
  int halvings_before_ = 0;                         // of the last step
  long no_halving_until_ = 0, no_halving_for_ = 1;  // steps
};

bool is_finite(const State& state);
/// Whether a step needs not be done again in parts. A method with a fixed number of sweeps is done
/// when these are: what it leaves unsolved is reported, and half the step would leave some, too.
bool is_done(const Method& method, const StepReport& report);

}  // namespace taut
