// A stretch of a run in which something happens beside plain steps of the method: impacts, stops
// that begin or cease to act, contacts, steps that are halved. Its derivatives are differences of
// the whole stretch, along the directions that are wanted: the moments at which things happen move
// as well, and what happens must be the same on both sides.
#pragma once

#include <vector>

#include "taut/derivatives/variants.hpp"
#include "taut/derivatives/watched_run.hpp"

namespace taut::detail {

struct StretchPlan {
  State from;
  std::vector<double> lengths;  ///< of its steps
  std::vector<char> recorded;   ///< whether sensors are looked at after each
  RunOptions options;
};

struct StretchTrace {
  std::vector<State> states;                ///< after each step
  std::vector<std::vector<double>> values;  ///< of sensors, at the recorded ones
  std::vector<StepEvent> events;
  bool has_ended = true;  ///< and not diverged
};

/// One pass through it, of a model, from a state.
StretchTrace pass(const Model& model, const State& from, const StretchPlan& plan,
                  const DerivedMethod& method);

/// Derivatives after each step, and of the sensors at the recorded ones.
struct StretchSlopes {
  std::vector<Perturbation> states;
  std::vector<std::vector<double>> values;
  enum class Sides { both, one, none } sides = Sides::both;  ///< on which the same happens
  double first_difference = 0;  ///< s: when what happens is another, where it is
};

/// From differences of passes at offsets of ε from the nominal one, which is offset 0.
StretchSlopes slopes(const System& system, const StretchTrace& nominal, double epsilon,
                     bool may_go_down, bool may_go_up,
                     const std::function<StretchTrace(double offset)>& pass_at);

}  // namespace taut::detail
