// The state between two states of a run, for methods without a formula of their own.
#pragma once

#include "taut/methods/workspace.hpp"
#include "taut/model/state.hpp"
#include "taut/model/system.hpp"

namespace taut::detail {

/// Hermite interpolation: of fifth degree, with the accelerations of both ends, where the method is
/// of order 4 or more; else cubic.
class Interpolation {
 public:
  void set(const System& system, const State& from, const State& to, bool quintic, Workspace& w);
  /// The state at a time in between.
  void at(const System& system, double time, State& out);

 private:
  // Coordinates relative to the start: differences of positions and, for rigid bodies, the rotation
  // vector θ with R = R₀ exp[θ]. Their rates and second rates at both ends.
  State from_;
  double h_ = 0;
  bool quintic_ = false;
  VecX x1_, rate0_, rate1_, second0_, second1_, x_, rate_, lambda_;
};

}  // namespace taut::detail
