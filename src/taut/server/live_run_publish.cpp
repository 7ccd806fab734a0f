// What is known of a run, for those who watch it: metrics, moments, snapshots.
#include <cmath>

#include "taut/server/live_run.hpp"

namespace taut::server {

double LiveRun::deviation() {
  const State& state = now();
  if (stage_->track) {
    if (was_changed_ || state.time > stage_->track->until) return NAN;
    const Pose pose(stage_->scene.system, state.q);
    return std::abs(pose.at(stage_->track->point)[stage_->track->axis] -
                    stage_->track->value(state.time));
  }
  if (!reference_) return NAN;
  // The other run may be a little behind, or ahead.
  const double time = std::min(state.time, reference_->range().last);
  const auto mine = history_->positions_at(time), other = reference_->positions_at(time);
  if (!mine || !other || mine->size() != other->size()) return NAN;
  double largest = 0;
  for (const BodySlot& slot : stage_->scene.system.slots())
    largest = std::max(largest, (mine->segment<3>(slot.q) - other->segment<3>(slot.q)).norm());
  return largest;
}

void LiveRun::measure_metrics(MetricValues& values) {
  const RunReport& report = stage_->stepping->report();
  const State& state = now();
  values = {};
  pose_.set(stage_->scene.system, state.q);
  const double kinetic = stage_->scene.system.kinetic_energy(state.v);
  const double potential = stage_->scene.system.potential_energy(pose_);
  values[Metric::kinetic] = kinetic;
  values[Metric::potential] = potential;
  values[Metric::energy] = kinetic + potential;
  if (report.energy.conservative)
    values[Metric::energy_error] = std::max(before_.energy_error, report.energy.max_abs_error);
  const auto& error = report.constraint_error;
  values[Metric::constraint_error] = error.final;
  values[Metric::accumulated_error] = before_.accumulated + error.accumulated;
  values[Metric::max_error] = std::max(before_.max_error, error.max);
  const double off = deviation();
  if (off > max_deviation_) max_deviation_ = off;
  values[Metric::deviation] = off;
  values[Metric::max_deviation] = stage_->track || reference_ ? max_deviation_ : NAN;
  if (report.steps > cost_steps_) {
    const double seconds = stage_->stepping->step_seconds();
    const double steps = static_cast<double>(report.steps - cost_steps_);
    const double cost = (seconds - cost_seconds_) / steps;
    const double share = cost_ == 0 ? 1 : 0.2;
    cost_ += share * (cost - cost_);
    iterations_ += share * (static_cast<double>(report.cost.iterations - cost_iterations_) / steps -
                            iterations_);
    cost_steps_ = report.steps;
    cost_seconds_ = seconds;
    cost_iterations_ = report.cost.iterations;
  }
  if (cost_ > 0) {
    values[Metric::step_cost] = 1e6 * cost_;
    values[Metric::speed] = plan_.step / cost_;
    values[Metric::iterations] = iterations_;
  }
  values[Metric::contacts] = report.contacts.final;
  values[Metric::halved_steps] = static_cast<double>(before_.halved + report.cost.halved_steps);
}

void LiveRun::look() {
  const RunReport& report = stage_->stepping->report();
  Snapshot& shot = moment_.shot;
  shot.frame = stage_->frame;
  shot.generation = plan_.generation;
  shot.state = now();
  shot.index = before_.steps + static_cast<std::uint64_t>(report.steps);
  measure_metrics(shot.metrics);
  shot.pulls = stage_->pulls.sample(stage_->scene.system, shot.state);
  shot.hands.resize(stage_->hands.size());
  for (std::size_t i = 0; i < shot.hands.size(); ++i) shot.hands[i] = stage_->hands[i].shot();
  shot.inputs = stage_->scene.system.inputs().values();
  moment_.epoch = epoch_;
  moment_.is_record = false;
}

void LiveRun::measure_forces() {
  Snapshot& shot = moment_.shot;
  shot.has_forces = shot.has_contacts = false;
  measured_ = Clock::now();
  if (stage_->stepping->report().status != RunStatus::ok || (!wants_forces_ && !wants_contacts_))
    return;
  const Stepping::Measured measured = stage_->stepping->measure();
  shot.lambda = measured.lambda;
  shot.contacts = measured.contacts;
  shot.has_forces = shot.has_contacts = true;
  if (wants_forces_) shot.forces = stage_->stepping->constraint_forces();
}

void LiveRun::judge() {
  judged_ = Clock::now();
  std::vector<std::string> doubts;
  if (!was_changed_ && stage_->stepping->report().steps > 0)
    doubts = stage_->stepping->judged().doubts;
  const std::lock_guard lock(mutex_);
  state_.doubts = std::move(doubts);
}

void LiveRun::publish() {
  look();
  measure_forces();
  if (Clock::now() - judged_ >= verdict_interval || is_over_ || !may_step()) judge();
  published_ = Clock::now();
  is_dirty_ = false;
  const std::lock_guard alone(showing_);
  show(moment_);
}

void LiveRun::show(const Moment& moment) {
  if (moment.epoch != epoch_) return;
  if (moment.is_record && moment.shot.state.time > history_->range().last)
    history_->add(moment.shot.state, moment.shot.index, moment.shot.metrics, moment.shot.hands,
                  moment.shot.inputs);
  auto shot = std::make_shared<Snapshot>(moment.shot);
  shot->version = ++version_;
  const std::lock_guard lock(mutex_);
  state_.time = shot->state.time;
  state_.steps = shot->index;
  newest_ = std::move(shot);
}

// A turn that begins after the next one should have is late, and is not made up for.
void LiveRun::display() {
  const double rate = plan_.display_rate;
  const auto period =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / rate));
  display_meter_.start(rate);
  Moment seen;
  Clock::time_point due = Clock::now();
  while (!is_stopping_) {
    due += period;
    std::this_thread::sleep_until(due);
    const Clock::time_point begin = Clock::now();
    using Seconds = std::chrono::duration<double>;
    const double behind = Seconds(begin - due).count();
    const bool is_late = begin > due + period;
    if (is_late) due = begin;
    if (!moments_.read(seen)) continue;  // nothing happens
    {
      const std::lock_guard alone(showing_);
      show(seen);
    }
    display_meter_.add({Seconds(Clock::now() - begin).count(), behind, is_late});
  }
}

io::Json LiveRun::loops() const {
  if (ports_.empty()) return {};
  io::Json all = io::Json::array();
  all.push_back(simulation_meter_.json("simulation"));
  all.push_back(display_meter_.json("display"));
  return all;
}

}  // namespace taut::server
