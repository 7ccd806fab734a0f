#include "taut/methods/impulse_method.hpp"

#include "taut/model/scale.hpp"

namespace taut {
namespace {

constexpr double solved = 1e-9;  // of the scene's size, or rad: what the next sweep may still move
constexpr int rebounding = 10;   // sweeps, where something does

}  // namespace

void ImpulseMethod::begin(const System& system, double h, const State& state, Workspace& w) {
  w.adapt(system);
  h_ = h;
  is_first_ = true;
  v_ = state.v;
  start_.set(system, state.q);
  contacts_.take(system, h, w.contacts);
}

void ImpulseMethod::to_frames_of_now(const System& system, const VecX& v, VecX& out) const {
  out = v;
  if (is_first_) return;
  for (const BodySlot& slot : system.slots())
    if (slot.rigid >= 0)
      out.segment<3>(slot.v + 3) =
          turned_[static_cast<std::size_t>(slot.rigid)] * Vec3(v.segment<3>(slot.v + 3));
}

void ImpulseMethod::start_part(const System& system, const Softnesses& softnesses, State& state,
                               Workspace& w, StepReport& report) {
  to_frames_of_now(system, v_, state.v);
  free_.predict(base(), system, h_, state, w, report);
  for (int i = 0; i < system.body_count(); ++i) {
    const BodySlot& slot = system.slot({i});
    v_.segment<3>(slot.v) = free_.candidate().segment<3>(slot.v);
    if (slot.rigid < 0) continue;
    // F has the gyroscopic torque, which finish() accounts for.
    const Vec3 turn = state.v.segment<3>(slot.v + 3);
    Vec6 torque = Vec6::Zero();
    torque.tail<3>() = turn.cross(Vec3(system.inertia({i}) * turn));
    system.apply_inverse_mass({i}, torque.data(), torque.data());
    Vec3 free = free_.candidate().segment<3>(slot.v + 3) + h_ * torque.tail<3>();
    if (!is_first_) free = turned_[static_cast<std::size_t>(slot.rigid)].transpose() * free;
    v_.segment<3>(slot.v + 3) = free;
  }
  rows_.look(system, state, h_, softnesses.rows,
             is_first_ ? std::span<const Mat3>() : std::span<const Mat3>(turned_), w);
  contacts_.look(is_first_ ? start_ : now_, softnesses.contacts);
  rows_.warm_start(w, v_);
  contacts_.warm_start(v_);
}

void ImpulseMethod::sweep(Bias bias, const Workspace& w, StepReport& report) {
  rows_.sweep(bias, w, v_);
  contacts_.sweep(bias, v_);
  ++report.iterations;
}

void ImpulseMethod::advance(const System& system, State& state) {
  to_frames_of_now(system, v_, state.v);
  system.advance(state.q, state.v, h_, state.q);
  state.time += h_;
  now_.set(system, state.q);
  turned_.resize(now_.rotations.size());
  for (std::size_t i = 0; i < turned_.size(); ++i)
    turned_[i] = now_.inverses[i] * start_.rotations[i];
  is_first_ = false;
}

void ImpulseMethod::finish(const System& system, Bias bias, double step, State& state, Workspace& w,
                           StepReport& report) {
  const double size = length_scale(system, w.pattern, state.q);
  const auto unsolved = [&] {
    return std::max(rows_.unsolved(bias, w, v_, step, size),
                    contacts_.unsolved(bias, v_, step) / size);
  };
  report.unsolved = unsolved();
  // Forces are those without what rebounds do: the next step begins with them.
  rows_.finish(w);
  contacts_.tell_forces();
  if (contacts_.expect_rebounds()) {
    for (int i = 0; i < rebounding; ++i) sweep(bias, w, report);
    report.unsolved = std::max(report.unsolved, unsolved());
  }
  contacts_.tell_energies(step, v_);
  if (!(report.unsolved <= solved)) report.status = StepStatus::not_converged;
  state.v = v_;
  for (int i = 0; i < system.body_count(); ++i) {
    const BodySlot& slot = system.slot({i});
    if (slot.rigid < 0) continue;
    Vec6 momentum = Vec6::Zero();
    momentum.tail<3>() = turned_[static_cast<std::size_t>(slot.rigid)] *
                         Vec3(system.inertia({i}) * Vec3(v_.segment<3>(slot.v + 3)));
    system.apply_inverse_mass({i}, momentum.data(), momentum.data());
    state.v.segment<3>(slot.v + 3) = momentum.tail<3>();
  }
}

}  // namespace taut
