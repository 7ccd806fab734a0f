#include "taut/simulate/contact_work.hpp"

#include <algorithm>

namespace taut {

bool turns(const System& system, const State& state, double time) {
  constexpr double noticeable = 1e-4;  // rad
  for (int i = 0; i < system.body_count(); ++i)
    if (system.is_rigid({i}) &&
        state.v.segment<3>(system.slot({i}).v + 3).norm() * time > noticeable)
      return true;
  return false;
}

void ContactScale::count(const ConeReport& cones, double length, StepReport& report) const {
  report.linear_solves += cones.backsolves;
  report.iterations += cones.newton_steps + cones.admm_iterations + cones.sweeps;
  if (cones.status == ConeReport::Status::converged) return;
  report.residual = std::max(report.residual, cones.residual * speed * length / size);
  if (cones.status == ConeReport::Status::compromise)
    report.status = StepStatus::compromise;
  else if (report.status == StepStatus::ok)
    report.status = StepStatus::not_converged;
}

StepReport ContactWork::step(const System& system, Method& method, double length, State& state,
                             Workspace& w) {
  if (sleep.any()) {
    if (w.modes.external.size() == 0) {
      w.modes.external.swap(no_external_);
      w.modes.external.setZero(system.velocity_size());
    }
    sleep.add_forces(system, w.modes.external);
  }
  const StepReport done = bounded.step(system, method, length, state, w);
  w.modes.external.swap(no_external_);
  w.modes.external.resize(0);
  sleep.restore(system, state);
  return done;
}

bool ContactWork::passes(const System& system, const State& from, const State& state,
                         double length) {
  from_.set(system, from.q);
  for (const auto& source : system.contact_sources()) {
    if (!source->is_fast(from_, from.v, length) && !source->is_fast(from_, state.v, length))
      continue;
    to_.set(system, state.q);
    if (source->passes(from_, to_, state.v, length)) return true;
  }
  return false;
}

}  // namespace taut
