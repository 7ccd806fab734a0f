#include "taut/server/live_run.hpp"

#include <fmt/core.h>

#include <cmath>

#include "taut/base/error.hpp"
#include "taut/scene/reference_track.hpp"
#include "taut/server/stage.hpp"

namespace taut::server {
namespace {

constexpr auto frame_interval = std::chrono::microseconds(14'000);  // a little less than 1/60 s
constexpr auto verdict_interval = std::chrono::seconds(1);
constexpr double records_per_second = 120;
constexpr double records_per_run = 1000;

long steps_between_records(double step, double duration) {
  const double wanted = std::min(1 / records_per_second, duration / records_per_run);
  return std::max(1L, static_cast<long>(std::floor(wanted / step * (1 + 1e-9))));
}

}  // namespace

LiveRun::LiveRun(LivePlan plan, std::optional<State> start,
                 std::shared_ptr<const History> reference)
    : plan_(std::move(plan)), reference_(std::move(reference)) {
  build(plan_, std::move(start), {});
  history_ = std::make_shared<History>(plan_.history_bytes,
                                       steps_between_records(plan_.step, stage_->scene.duration));
  history_->add(now(), 0, measure_metrics());
  publish();
  thread_ = std::thread([this] { loop(); });
}

LiveRun::~LiveRun() {
  is_stopping_ = true;
  wake();
  thread_.join();
}

void LiveRun::build(const LivePlan& plan, std::optional<State> from, Pulls pulls) {
  auto next = std::make_unique<Stage>(plan.scene());
  System& system = next->scene.system;
  State state = from ? std::move(*from) : system.initial_state();
  if (state.q.size() != system.position_size() || state.v.size() != system.velocity_size())
    throw Error("the scene has other bodies now: it can only start anew");
  next->frame = make_frame(next->scene);
  next->pulls = std::move(pulls);
  // Methods that conserve or dissipate energy by design take forces at the end or in the middle of
  // a step, by their derivatives; the others take them as they are at the start.
  const bool is_implicit = plan.method.info->promises.energy != Promises::Energy::follows;
  next->pulls.apply_to(system,
                       {state, *next->frame, is_implicit, plan.step, spread(system, state)});

  RunOptions options;
  options.step = plan.step;
  options.duration = next->scene.duration;
  options.start = next->scene.start;
  options.reference = io::reference_track(next->scene);
  next->track = io::reference_track(next->scene);
  next->method = plan.method.make();
  next->stepping =
      std::make_unique<Stepping>(system, std::move(state), *next->method, std::move(options));

  if (stage_) {
    const RunReport& report = stage_->stepping->report();
    before_.steps += static_cast<std::uint64_t>(report.steps);
    before_.accumulated += report.constraint_error.accumulated;
    before_.max_error = std::max(before_.max_error, report.constraint_error.max);
    before_.energy_error = std::max(before_.energy_error, report.energy.max_abs_error);
    before_.halved += report.cost.halved_steps;
    was_changed_ = true;
  }
  stage_ = std::move(next);
  time_ = now().time;
  step_ = plan.step;
  cost_seconds_ = 0;
  cost_steps_ = cost_iterations_ = 0;
  is_dirty_ = true;
}

bool LiveRun::may_step() const { return !is_over_ && time_ + step_ <= goal_ + 1e-6 * step_; }

void LiveRun::loop() {
  while (!is_stopping_) {
    try {
      go_on();
    } catch (const std::exception& error) {
      is_dirty_ = false;
      end("diverged", error.what());
    }
  }
  run_commands();  // nobody waits in vain
}

void LiveRun::go_on() {
  for (;;) {
    if (is_stopping_) return;
    if (has_commands_) {
      run_commands();
      publish();
    } else if (may_step()) {
      step_once();
      if (Clock::now() - published_ >= frame_interval) publish();
    } else {
      std::unique_lock lock(mutex_);
      const auto is_woken = [&] { return is_stopping_ || has_commands_ || may_step(); };
      if (!is_dirty_) {
        woken_.wait(lock, is_woken);
      } else if (!woken_.wait_until(lock, published_ + frame_interval, is_woken)) {
        lock.unlock();
        publish();
      }
    }
  }
}

void LiveRun::step_once() {
  stage_->pulls.follow(stage_->scene.system, now());
  stage_->stepping->step();
  time_ = now().time;
  is_dirty_ = true;
  const RunReport& report = stage_->stepping->report();
  if (!history_->is_due())
    history_->skip();
  else if (report.status == RunStatus::ok)
    history_->add(now(), before_.steps + static_cast<std::uint64_t>(report.steps),
                  measure_metrics());
  if (report.status == RunStatus::diverged) end("diverged", report.reason);
}

void LiveRun::end(std::string status, std::string reason) {
  is_over_ = true;
  const std::lock_guard lock(mutex_);
  state_.status = std::move(status);
  state_.reason = std::move(reason);
}

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

MetricValues LiveRun::measure_metrics() {
  const RunReport& report = stage_->stepping->report();
  const State& state = now();
  MetricValues values;
  const double kinetic = stage_->scene.system.kinetic_energy(state.v);
  const double potential =
      stage_->scene.system.potential_energy(Pose(stage_->scene.system, state.q));
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
  return values;
}

void LiveRun::publish() {
  auto shot = std::make_shared<Snapshot>();
  const RunReport& report = stage_->stepping->report();
  shot->frame = stage_->frame;
  shot->generation = plan_.generation;
  shot->version = ++version_;
  shot->state = now();
  shot->index = before_.steps + static_cast<std::uint64_t>(report.steps);
  shot->metrics = measure_metrics();
  shot->pulls = stage_->pulls.sample(stage_->scene.system, shot->state);
  const bool is_sound = report.status == RunStatus::ok;
  if (is_sound && (wants_forces_ || wants_contacts_)) {
    const Stepping::Measured measured = stage_->stepping->measure();
    shot->lambda = measured.lambda;
    shot->contacts = measured.contacts;
    shot->has_forces = shot->has_contacts = true;
    if (wants_forces_) shot->forces = stage_->stepping->constraint_forces();
  }
  std::vector<std::string> doubts;
  const bool is_due = Clock::now() - judged_ >= verdict_interval || is_over_ || !may_step();
  if (is_due && !was_changed_ && report.steps > 0) {
    doubts = stage_->stepping->judged().doubts;
    judged_ = Clock::now();
  }
  published_ = Clock::now();
  is_dirty_ = false;
  const std::lock_guard lock(mutex_);
  if (is_due) state_.doubts = std::move(doubts);
  state_.time = shot->state.time;
  state_.steps = shot->index;
  newest_ = std::move(shot);
}

}  // namespace taut::server
