// What the parts of a step, and what is measured along a run, take from one step to the next, as
// bytes (base/archive.hpp): what a checkpoint consists of (simulate/checkpoint.hpp). What is
// missing here is scratch, or is found anew.
#include "taut/methods/archive.hpp"

#include "taut/simulate/contact_track_internal.hpp"
#include "taut/simulate/joint_track_internal.hpp"
#include "taut/simulate/metrics.hpp"
#include "taut/simulate/run_recording_internal.hpp"
#include "taut/simulate/step_control_internal.hpp"
#include "taut/simulate/step_policy.hpp"
#include "taut/simulate/step_probe.hpp"

namespace taut {

// Plain structs ----------------------------------------------------------------------------------

void archive(Archive& a, Touch& touch) {
  auto& [source, feature, how, force, torque, normal, body, turns] = touch;
  a(source, feature, how, force, torque, normal, body, turns);
}

void archive(Archive& a, Point& point) { a(point.body.index, point.local); }

void archive(Archive& a, Share& share) {
  auto& [point, weight] = share;
  a(point, weight);
}

void archive(Archive& a, SheetTouch::Side& side) {
  auto& [cloth, shape] = side;
  a(cloth, shape);
}

void archive(Archive& a, SheetTouch& touch) {
  auto& [feature, shares, share_count, normal, gap, thickness, friction, release, sides, source] =
      touch;
  a(feature, shares, share_count, normal, gap, thickness, friction, release, sides, source);
}

void archive(Archive& a, SheetLoad& load) {
  auto& [touch, force] = load;
  a(touch, force);
}

// Steps ------------------------------------------------------------------------------------------

void LawRows::archive(Archive& a) { a(pressed_); }

void WholeStep::archive(Archive& a) { a(laws_, shift_squared_); }

void BoundedStep::archive(Archive& a, const System& system) {
  bool has_seen = seen_topology_ == system.topology();
  a(laws_, whole_, has_seen, seen_q_, seen_v_, presses_, reached_, is_divided_);
  if (a.is_reading()) seen_topology_ = has_seen ? system.topology() : -1;
}

void ContactSleep::archive(Archive& a, const System& system) {
  if (a.is_reading()) adapt(system);
  a(count_, asleep_, may_sleep_, at_rest_, island_, q_, F_, held_, of_contacts_, forces_, touches_);
}

void ContactStep::archive(Archive& a, const System& system) {
  work_.bounded.archive(a, system);
  work_.sleep.archive(a, system);
  a(work_.loads.touches, work_.loads.forces, still_, all_touches_);
  if (!work_.scale.is_real_time()) return;
  // What was found where bodies were a little while ago: who goes on from here does not have it.
  work_.equations.forget();
  for (ContactRows* rows : {&work_.at_end, &start_.rows})
    rows->keep(std::vector<char>(static_cast<std::size_t>(rows->count()), 1));
}

void TouchForces::Known::archive(Archive& a) { a(feature, force, holds); }

void TouchForces::archive(Archive& a) { a(known_, loaded_, largest_); }

// The solver is made in the next step, from this.
void SheetMethod::archive(Archive& a) {
  if (!a.is_reading() && kkt_) {
    Archive solver;
    kkt_->archive(solver);
    solver_to_come_ = solver.take();
  }
  a(forces_, loads_, solver_to_come_);
  if (!a.is_reading() && kkt_) solver_to_come_.clear();
}

void SheetStep::archive(Archive& a, const System& system) {
  contacts_.archive(a, system);
  a(touching_, touched_, is_together_);
}

void StepPolicy::archive(Archive& a, const System& system) {
  sheets_.archive(a, system);
  a(fastest_, steps_, halvings_before_, no_halving_until_, no_halving_for_);
}

// Measurements -----------------------------------------------------------------------------------

void Course::archive(Archive& a) { a(last_time_, last_v_); }

void Metrics::Slip::archive(Archive& a) { a(largest, at, speed, late); }

void Metrics::archive(Archive& a) {
  a(slips_, worst_slip_, course_, last_time_, last_lambda_, last_impacts_, *energy_, worst_,
    squared_deviation_, deviations_, compared_at_);
  // A reference may go from one time to the next: it is led to where it was.
  if (a.is_reading() && options_.reference)
    for (const double time : compared_at_) options_.reference->value(time);
}

void StepProbe::Sum::archive(Archive& a) { a(vectors, lengths); }
void StepProbe::Missed::archive(Archive& a) { a(place, velocity, turn, spin); }

void StepProbe::archive(Archive& a) {
  a(looks_, next_, now_, counted_, looked_, in_vain_, spent_, fastest_, fastest_spin_, begin_, end_,
    missed_);
}

namespace detail {

void ErrorNorm::archive(Archive& a) { a(speed_, turning_, time_scale_); }

void StepController::archive(Archive& a) { a(order_, error_before_, just_rejected_); }

void JointTrack::archive(Archive& a) {
  for (JointSample& sample : samples_) {
    for (JointSample::Moved& moved : sample.coordinates) a(moved.value, moved.rate);
    a(sample.force, sample.torque);
  }
}

void ContactTrack::archive(Archive& a) { a(touches_, loads_, numbers_); }

void Recording::archive(Archive& a) {
  a(joints_, contacts_, has_started_, mean_.length, mean_.acceleration);
}

}  // namespace detail
}  // namespace taut
