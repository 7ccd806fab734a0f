// What sensors say at a state that no run has led to.
#pragma once

#include "taut/derivatives/model_family.hpp"
#include "taut/simulate/run_recording_internal.hpp"
#include "taut/simulate/sheet_step.hpp"

namespace taut::detail {

class Observer {
 public:
  /// `model` must outlive it.
  explicit Observer(const Model& model);

  /// After every step: how often joints have turned.
  void follow(const State& state);
  /// Values of all sensors; rows with a law are what `modes` says. Forces are those that belong to
  /// the state: methods/projection.hpp, reactions().
  const std::vector<double>& look(const State& state, const std::vector<RowModes::Mode>& modes);
  /// The forces that were found then.
  const VecX& lambda() const { return recording_.lambda(); }
  /// Forces are measured even if no sensor needs them.
  void measure_forces() { needs_forces_ = true; }
  /// Of a run, at its last state.
  const std::vector<double>& look(Recording& recording, const State& state);

 private:
  const std::vector<double>& evaluate(Recording& recording, const State& state);

  const Model& model_;
  SensorSet sensors_;
  RunOptions options_;
  Evidence evidence_;
  RunReport report_;
  Recording recording_;
  Workspace modes_;
  SheetStep no_contacts_;
  bool needs_forces_ = false;
  std::vector<double> values_;
};

}  // namespace taut::detail
