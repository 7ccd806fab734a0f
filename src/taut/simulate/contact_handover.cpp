#include "taut/simulate/contact_handover.hpp"

#include <algorithm>

#include "taut/model/scale.hpp"
#include "taut/simulate/stops_ahead.hpp"

namespace taut {
namespace {

constexpr double with_room = 2;  // of how far something moves in the step
constexpr double little = 0.1;   // of how far forces move it

}  // namespace

void ContactHandover::look(const System& system, double h, const State& state, const Workspace& w) {
  pose_.set(system, state.q);
  system.forces(pose_, state.v, state.time, change_);
  Vec3 sum = Vec3::Zero();
  for (const BodySlot& slot : system.slots()) sum += change_.segment<3>(slot.v);
  system.apply_inverse_mass(change_, change_);
  change_ *= h;
  double reach = 0;
  for (const auto& source : system.contact_sources()) reach = std::max(reach, source->reach());
  const auto speed = [&](const VecX& v, int dof, bool is_rigid) {
    return v.segment<3>(dof).norm() + (is_rigid ? reach * v.segment<3>(dof + 3).norm() : 0);
  };
  double fastest = 0;  // m/s: what forces make of a body in the step
  for (const BodySlot& slot : system.slots())
    fastest = std::max(fastest, speed(change_, slot.v, slot.rigid >= 0));
  task_.slow = weakest_bounce * fastest;

  // Forces that the step does not resolve would reach anywhere.
  const double size = length_scale(system, w.pattern, state.q);
  ContactRows& rows = task_.rows;
  rows.find(system, state, h, std::min(with_room * h * fastest, size), {});
  // Something may be pushed anywhere, as fast as it is; but forces move it along themselves. What
  // they do not close is left for the next step.
  may_close_.resize(static_cast<std::size_t>(rows.count()));
  task_.rate.resize(rows.count());
  int kept = 0;
  for (int c = 0; c < rows.count(); ++c) {
    double rate = 0, forced = 0, farthest = little * fastest;
    for (const ContactRows::Block& block : rows.blocks(c)) {
      for (int i = 0; i < block.size; ++i) {
        rate += block.values[i] * state.v[block.dof + i];
        forced += block.values[i] * change_[block.dof + i];
      }
      farthest += speed(state.v, block.dof, block.size == 6);
    }
    farthest += with_room * std::max(0.0, -forced);
    const bool may_close = rows.contact(c).gap <= h * farthest;
    may_close_[static_cast<std::size_t>(c)] = may_close;
    if (may_close) task_.rate[kept++] = rate;
  }
  if (kept < rows.count()) rows.keep(may_close_);
  task_.depth.resize(kept);
  for (int c = 0; c < kept; ++c) task_.depth[c] = sum.dot(pose_.at(rows.contact(c).a));
  work_.loads.recall(rows, 1, task_.force);
}

void ContactHandover::see_overlaps(const System& system, const State& state, StepReport& report) {
  if (task_.rows.empty()) return;
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
  look(system, h, state, w);
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
