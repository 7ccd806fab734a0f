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
  std::vector<char> acting;  ///< per step, of each limit
  bool has_ended = true;     ///< and not diverged
};

void add_acting(const StepRecord& step, StretchTrace& trace);

/// One pass through it, of a model, from a state.
StretchTrace pass(const Model& model, const State& from, const StretchPlan& plan,
                  const DerivedMethod& method);

/// Derivatives after each step, and of the sensors at the recorded ones.
struct StretchSlopes {
  std::vector<Perturbation> states;
  std::vector<std::vector<double>> values;
  enum class Sides { both, one, none } sides = Sides::both;  ///< on which the same happens
  double first_difference = 0;  ///< s: when what happens is another, where it is
  double error = 0;             ///< relative: what differences do not tell
};

/// How far a stretch may be displaced, in units of ε: to where a parameter has its bounds.
struct Reach {
  double down, up;
};

/// From differences of passes at offsets of ε from the nominal one, which is offset 0. What is
/// solved to some tolerance only, as contacts are, needs larger ones: they grow as long as the same
/// happens, and are extrapolated (Romberg's table) to where its entries agree best.
StretchSlopes slopes(const System& system, const RowPattern& pattern, const StretchTrace& nominal,
                     double epsilon, const Reach& reach,
                     const std::function<StretchTrace(double offset)>& pass_at);

}  // namespace taut::detail
