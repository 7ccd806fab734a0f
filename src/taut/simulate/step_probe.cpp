#include "taut/simulate/step_probe.hpp"

#include <algorithm>
#include <cmath>

#include "taut/base/largest.hpp"
#include "taut/methods/projection.hpp"

namespace taut {
namespace {

constexpr int most_looks = 32;
constexpr int least_looks = 3;
constexpr int most_in_vain = 3;    // one after the other
constexpr double most_cost = 0.1;  // of that of the run
constexpr double exactly = 0.1;    // of what is missed: how well the truth has to be known
constexpr double resolved =
    1e-6;  // the same, with one step, where nothing in it is too fast for it
constexpr double no_error = 1e-4;  // of the scene's size, or rad, over the whole run

template <class Forces>
bool conserve(const Forces& forces) {
  return std::all_of(forces.begin(), forces.end(),
                     [](const auto& batch) { return batch->is_conservative(); });
}

}  // namespace

StepProbe::StepProbe(const System& system, const Method& method, double size, long steps)
    : system_(system), size_(size), steps_(steps) {
  damps_ = method.promises.energy == Promises::Energy::dissipates;
  looks_ = method.order() >= 2 && method.promises.solves_rows && size > 0 &&
           system.contact_sources().empty() && !is_fabric(system) &&
           (!damps_ || conserve(system.all_forces()));  // where all is damped, errors are, too
  if (looks_) missed_.resize(static_cast<std::size_t>(system.body_count()));
}

// Evenly, but not in step with a motion that repeats itself.
void StepProbe::go_on() {
  const double interval = static_cast<double>(steps_) / most_looks;
  const double golden = 0.618033988749895 * looked_;
  next_ = std::max(now_ + 1, static_cast<long>((looked_ + golden - std::floor(golden)) * interval));
}

void StepProbe::before(long step, long solves, const State& state, const Workspace& w) {
  now_ = step;
  is_armed_ = looks_ && step >= next_ &&
              (looked_ < least_looks ||
               static_cast<double>(spent_) < most_cost * static_cast<double>(solves));
  if (!is_armed_) return;
  start_ = state;
  modes_ = w.modes.modes();
}

bool StepProbe::follow(double time, int parts, double& error_q, double& error_v) {
  truth_ = start_;
  workspace_->modes.restore(modes_);
  error_q = error_v = 0;
  const double h = (time - start_.time) / parts;
  for (int i = 0; i < parts; ++i) {
    const StepReport step = policy_.step_once(system_, *method_, h, truth_, *workspace_);
    spent_ += step.linear_solves;
    if (step.status != StepStatus::ok || !is_finite(truth_) || !step.trace.empty() ||
        step.impacts > 0 || !step.has_estimate) {
      must_start_ = must_start_ || !step.trace.empty();
      return false;
    }
    error_q += largest(workspace_->error_q);
    error_v += largest(workspace_->error_v);
  }
  return true;
}

// A velocity may be off in directions that the constraints forbid: methods that conserve energy
// have it there in turns, and it moves nothing.
void StepProbe::after(const State& state) {
  if (!is_armed_) return;
  is_armed_ = false;
  if (!method_) {
    method_ = make_method("dop853");
    workspace_ = std::make_unique<Workspace>(system_);
  }
  if (looked_ == 0) begin_ = start_.time;
  StepReport report;
  // Which rows follow from others costs as much as a few steps, and seldom changes.
  if (must_start_) policy_.start(system_, start_, *workspace_);
  must_start_ = false;
  workspace_->modes.restore(modes_);
  project_velocity(system_, start_.time, start_.q, start_.v, *workspace_, report);
  bool is_known = false;
  const double share = damps_ ? resolved : exactly;
  for (int parts = 1; parts <= (damps_ ? 1 : 16) && !is_known; parts *= 4) {
    double error_q = 0, error_v = 0;
    if (!follow(state.time, parts, error_q, error_v)) break;
    system_.difference(truth_.q, state.q, Chart::rotation_vector, moved_);
    pushed_ = state.v - truth_.v;
    const double time = state.time - start_.time;
    const double enough = no_error * std::min(size_, 1.0) / static_cast<double>(steps_);
    is_known = error_q <= std::max(share * largest(moved_), enough) &&
               error_v <= std::max(share * largest(pushed_), enough / time);
  }
  spent_ += report.linear_solves;
  ++looked_;
  go_on();
  in_vain_ = is_known ? 0 : in_vain_ + 1;
  // What a method that damps does not resolve, it will not resolve later either.
  if (damps_ && in_vain_ == most_in_vain) looks_ = false;
  if (!is_known) return;

  workspace_->linearize(system_, truth_.q, truth_.time, workspace_->end);
  workspace_->end.C_t.setZero();
  project_velocity(pushed_, *workspace_, report);
  const auto steps = static_cast<double>(now_ + 1 - counted_);
  const auto add = [](const Vec3& what, Sum& to) {
    to.vectors += what;
    to.lengths += what.norm();
  };
  counted_ = now_ + 1;
  end_ = state.time;
  for (std::size_t i = 0; i < missed_.size(); ++i) {
    const BodySlot& slot = system_.slots()[i];
    Missed& missed = missed_[i];
    fastest_ = std::max(fastest_, state.v.segment<3>(slot.v).norm());
    add(steps * moved_.segment<3>(slot.v), missed.place);
    add(steps * pushed_.segment<3>(slot.v), missed.velocity);
    if (slot.rigid < 0) continue;
    add(steps * moved_.segment<3>(slot.v + 3), missed.turn);
    add(steps * pushed_.segment<3>(slot.v + 3), missed.spin);
    fastest_spin_ = std::max(fastest_spin_, state.v.segment<3>(slot.v + 3).norm());
  }
}

// An error of velocity acts until the motion has turned round, one of a spin until what spins has.
void StepProbe::finish(double way, Evidence& evidence) const {
  // Of a method that damps, only what its steps resolve is known: enough for doubts, no estimate.
  evidence.has_missed = counted_ > 0 && !damps_;
  const double run = end_ - begin_;
  const double swing = fastest_ > 0 ? std::min(run, way / fastest_) : run;
  const double turn = fastest_spin_ > 0 ? std::min(run, 1 / fastest_spin_) : run;
  // What a method that damps misses to and fro, it damps.
  const auto size = [&](const Sum& sum) { return damps_ ? sum.vectors.norm() : sum.lengths; };
  for (std::size_t i = 0; i < missed_.size(); ++i) {
    const Missed& missed = missed_[i];
    const int body = static_cast<int>(i);
    evidence.missed.see(size(missed.place) + swing * size(missed.velocity), body, end_);
    evidence.missed_turn.see(size(missed.turn) + turn * size(missed.spin), body, end_);
  }
}

}  // namespace taut
