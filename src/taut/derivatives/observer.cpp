#include "taut/derivatives/observer.hpp"

#include "taut/derivatives/modes_of.hpp"

namespace taut::detail {
namespace {

RunOptions with_reactions() {
  RunOptions options;
  options.reactions = true;
  return options;
}

}  // namespace

Observer::Observer(const Model& model)
    : model_(model),
      sensors_(model.sensors),
      options_(with_reactions()),
      recording_(model.system, options_, evidence_, report_),
      modes_(model.system),
      needs_forces_(sensors_.needs().forces || sensors_.needs().contacts) {}

void Observer::follow(const State& state) {
  if (sensors_.needs().joints || needs_forces_) recording_.look_at_joints(state);
}

const std::vector<double>& Observer::look(const State& state,
                                          const std::vector<RowModes::Mode>& modes) {
  if (needs_forces_ && !modes_.modes.empty()) {
    put_modes(modes, modes_.pattern, modes_.modes);
    recording_.workspace().modes = modes_.modes;
  }
  return evaluate(recording_, state);
}

const std::vector<double>& Observer::look(Recording& recording, const State& state) {
  return evaluate(recording, state);
}

const std::vector<double>& Observer::evaluate(Recording& recording, const State& state) {
  static const std::vector<JointSample> no_joints;
  static const std::vector<ContactSample> nothing;
  if (needs_forces_) {
    recording.add(state);
    sensors_.evaluate(model_.system, state, recording.lambda(), recording.joint_samples(),
                      recording.contact_samples(), recording.exerted(), values_);
  } else {
    static const VecX no_forces;
    static const std::vector<double> as_laws_say;
    sensors_.evaluate(model_.system, state, no_forces,
                      sensors_.needs().joints ? recording.look_at_joints(state) : no_joints,
                      nothing, as_laws_say, values_);
  }
  return values_;
}

}  // namespace taut::detail
