#include "taut/methods/impulse_method.hpp"

#include "taut/model/scale.hpp"

namespace taut {
namespace {

constexpr double solved = 1e-9;  // of the scene's size, or rad: what the next sweep may still move

}  // namespace

void ImpulseMethod::begin(const System& system, double h, const State& state, Workspace& w) {
  w.adapt(system);
  h_ = h;
  pose_.set(system, state.q);
  contacts_.take(pose_, h, w.contacts);
}

void ImpulseMethod::start_part(const System& system, const Softnesses& softnesses, bool is_first,
                               State& state, Workspace& w, StepReport& report) {
  free_.predict(base(), system, h_, state, w, report);
  for (int i = 0; i < system.body_count(); ++i) {
    const int at = system.slot({i}).v;
    if (!system.is_rigid({i})) {
      state.v.segment<3>(at) = free_.candidate().segment<3>(at);
      continue;
    }
    // F has the gyroscopic torque, which end_part() accounts for.
    const Vec3 turn = state.v.segment<3>(at + 3);
    Vec6 torque = Vec6::Zero();
    torque.tail<3>() = turn.cross(Vec3(system.inertia({i}) * turn));
    system.apply_inverse_mass({i}, torque.data(), torque.data());
    state.v.segment<6>(at) = free_.candidate().segment<6>(at) + h_ * torque;
  }
  rows_.look(system, state, h_, softnesses.rows, w);
  contacts_.look(system, pose_, softnesses.contacts, is_first);
  rows_.warm_start(w, state.v);
  contacts_.warm_start(state.v);
}

void ImpulseMethod::sweep(Bias bias, State& state, Workspace& w, StepReport& report) {
  rows_.sweep(bias, w, state.v);
  contacts_.sweep(bias, state.v);
  ++report.iterations;
}

void ImpulseMethod::advance(const System& system, State& state) {
  system.advance(state.q, state.v, h_, state.q);
  state.time += h_;
}

void ImpulseMethod::finish(const System& system, Bias bias, double step, State& state, Workspace& w,
                           StepReport& report) {
  const double size = length_scale(system, w.pattern, state.q);
  report.unsolved = std::max(rows_.unsolved(bias, w, state.v, step, size),
                             contacts_.unsolved(bias, state.v, step) / size);
  if (!(report.unsolved <= solved)) report.status = StepStatus::not_converged;
  contacts_.rebound(state.v);
  contacts_.finish(step, state.v);
  rows_.finish(w);
}

void ImpulseMethod::end_part(const System& system, State& state) {
  next_.set(system, state.q);
  for (int i = 0; i < system.body_count(); ++i) {
    const BodySlot& slot = system.slot({i});
    if (slot.rigid < 0) continue;
    const std::size_t rigid = static_cast<std::size_t>(slot.rigid);
    const Vec3 turn = state.v.segment<3>(slot.v + 3);
    const Vec3 momentum = pose_.rotations[rigid] * Vec3(system.inertia({i}) * turn);
    Vec6 change = Vec6::Zero();
    change.tail<3>() = next_.inverses[rigid] * momentum;
    system.apply_inverse_mass({i}, change.data(), change.data());
    state.v.segment<3>(slot.v + 3) = change.tail<3>();
  }
  std::swap(pose_, next_);
}

}  // namespace taut
