#include <algorithm>
#include <cmath>
#include <utility>

#include "taut/methods/projection.hpp"
#include "taut/simulate/run_recording_internal.hpp"

namespace taut::detail {

Recording::Recording(const System& system, const RunOptions& options, Evidence& evidence,
                     RunReport& report)
    : system_(system),
      options_(options),
      evidence_(evidence),
      report_(report),
      joints_(system),
      contacts_(system),
      acting_(system) {
  if (!needs_reactions() && !options.record_exerted) return;
  lambda_.setZero(system.row_count());
  for (const auto& batch : system.constraints()) {
    for (int i = 0; i < batch->size(); ++i) {
      report.reactions.push_back({batch->name(i), batch->force_unit(i, 0), 0, 0, {}});
      rows_.push_back(batch->rows_per_constraint());
      // Forces and torques make no vector together.
      int alike = 1;
      while (alike < rows_.back() && batch->force_unit(i, alike) == batch->force_unit(i, 0))
        ++alike;
      alike_.push_back(alike);
    }
  }
}

void Recording::follow(const State& state, const Workspace& steps, const SheetStep& last) {
  if (!measures()) return;
  mean_ = steps.mean;
  contacts_.follow(last);
  joints_.follow(state);
  if (!steps.modes.empty()) workspace().modes = steps.modes;
}

void Recording::measure(const State& state) {
  if (!contacts_.is_empty()) {
    if (!has_started_) contacts_.start(state, options_.step);
    has_started_ = true;
    contacts_.sample(state);
    contacts_.note(state.time, report_);
  }
  if (lambda_.size() == 0 && !acting_.may_differ()) return;
  StepReport unused;  // what recording costs is not the method's cost
  Workspace& w = workspace();
  if (!contacts_.is_empty()) contacts_.forces(w.modes.external);
  if (acting_.may_differ()) find_acting(state, w);
  // Where a motor holds its speed over a step, it may not be able to at this moment.
  for (bool is_bounded = false; !is_bounded;) {
    taut::reactions(system_, state, w, lambda_, unused);
    is_bounded = true;
    for (RowModes::Mode& mode : w.modes.modes()) {
      double& value = lambda_[mode.row];
      if (!mode.is_equation) {
        value = mode.held;
      } else if (mode.law.kind == RowLaw::Kind::rate &&
                 !(mode.law.lower <= value && value <= mode.law.upper)) {
        mode.is_equation = is_bounded = false;
        mode.held = value > mode.law.upper ? mode.law.upper : mode.law.lower;
      }
    }
  }
  w.modes.external.resize(0);
  check_directions(state.time);
  if (joints_.is_empty()) return;
  joints_.sample(state, w.pattern, w.start, lambda_);
  joints_.note(state.time, report_);
}

void Recording::find_acting(const State& state, Workspace& w) {
  if (!acting_.look(state, mean_)) return;
  StepReport unused;
  taut::reactions(system_, state, w, lambda_, unused, &acceleration_);
  VecX beside = w.modes.external;
  if (beside.size() == 0) beside.setZero(state.v.size());
  if (!acting_.find(mean_, acceleration_, w, beside)) return;
  w.modes.external = std::move(beside);
  evidence_.jitter.see(acting_.jitter(), -1, state.time);
}

// Stops push and strings pull. Where the forces belong to a state, they tell whether it is right
// that they act.
void Recording::check_directions(double time) {
  const Workspace& w = workspace();
  if (w.modes.empty()) return;
  evidence_.largest_force = std::max(
      {evidence_.largest_force, lambda_.lpNorm<Eigen::Infinity>(), report_.contacts.largest_force});
  for (const RowModes::Mode& mode : w.modes.modes()) {
    if (mode.law.kind != RowLaw::Kind::limit || !mode.is_equation) continue;
    const double wrong = (mode.target == mode.law.lower ? 1 : -1) * lambda_[mode.row];
    if (!(wrong > 0)) continue;
    evidence_.wrong_way.see(wrong, w.pattern.constraint_of(mode.row), time);
  }
}

void Recording::add(const State& state) {
  if (measures()) measure(state);
  if (options_.record_exerted) options_.record_exerted(acting_.exerted());
  if (options_.record_states) options_.record_states(state);
  if (!needs_forces()) return;
  int row = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    RunReport::Reaction& reaction = report_.reactions[i];
    const double force = lambda_.segment(row, alike_[i]).norm();
    if (force > reaction.largest) {
      reaction.largest = force;
      reaction.at = state.time;
    }
    row += rows_[i];
  }
  if (options_.record) options_.record(state, lambda_);
  if (options_.record_joints && !joints_.is_empty())
    options_.record_joints(state.time, joints_.samples());
  if (options_.record_contacts && !contacts_.is_empty())
    options_.record_contacts(state.time, contacts_.samples());
}

void Recording::finish(const State& state) {
  if (!needs_forces() || !state.q.allFinite() || !state.v.allFinite()) return;
  measure(state);
  int row = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    RunReport::Reaction& reaction = report_.reactions[i];
    const auto values = lambda_.segment(row, rows_[i]);
    reaction.final.assign(values.begin(), values.end());
    if (const double force = values.head(alike_[i]).norm(); force > reaction.largest) {
      reaction.largest = force;
      reaction.at = state.time;
    }
    row += rows_[i];
  }
}

}  // namespace taut::detail
