#include "taut/simulate/contact_handover.hpp"

#include <algorithm>

#include "taut/model/scale.hpp"
#include "taut/simulate/stops_ahead.hpp"

namespace taut {
namespace {

constexpr double with_room = 2;  // of how far forces move something in the step

}  // namespace

void ContactHandover::look(const System& system, double h, const State& state) {
  pose_.set(system, state.q);
  system.forces(pose_, state.v, state.time, change_);
  system.apply_inverse_mass(change_, change_);
  double reach = 0;
  for (const auto& source : system.contact_sources()) reach = std::max(reach, source->reach());
  double fastest = 0;  // m/s: what forces make of a body in the step
  for (const BodySlot& slot : system.slots()) {
    fastest = std::max(fastest, h * change_.segment<3>(slot.v).norm());
    if (slot.rigid >= 0)
      fastest = std::max(fastest, h * reach * change_.segment<3>(slot.v + 3).norm());
  }
  // Forces that the step does not resolve would reach anywhere.
  task_.rows.find(system, state, h, std::min(with_room * h * fastest, reach), {});
  task_.rows.velocities(state.v, task_.u);
  task_.slow = weakest_bounce * fastest;
  work_.loads.recall(task_.rows, 1, task_.force);
}

void ContactHandover::see_overlaps(const System& system, const State& state, StepReport& report) {
  pose_.set(system, state.q);
  for (const Contact& contact : task_.rows.contacts()) {
    if (contact.is_compliant()) continue;
    const double end = contact.normal.dot(pose_.at(contact.a) - pose_.at(contact.b));
    report.overlap = std::max({report.overlap, -contact.gap, -end});
  }
}

StepReport ContactHandover::step(const System& system, Method& method, double h, State& state,
                                 Workspace& w) {
  work_.sleep.wake_all(work_.loads.touches);
  look(system, h, state);
  from_ = state;
  touches_from_ = work_.loads.touches;
  w.contacts = &task_;
  StepReport report = work_.bounded.step(system, method, h, state, w);
  w.contacts = nullptr;
  if (!state.q.allFinite() || !state.v.allFinite()) return report;
  report.impacts += task_.impacts;
  report.impact_energy += task_.impact_energy;
  report.friction_energy += task_.friction_energy;
  work_.loads.remember(task_.rows, task_.force);
  see_overlaps(system, state, report);
  if (is_same(work_.loads.touches, touches_from_) && turns(system, state, h))
    report.rolling_time += h;
  if (work_.passes(system, from_, state, h)) {  // a shorter step may see it coming
    const double size = length_scale(system, w.pattern, state.q);
    change_ = h * state.v;
    report.status = StepStatus::not_converged;
    report.residual = std::max(report.residual, relative_displacement(system, change_, size));
  }
  return report;
}

}  // namespace taut
