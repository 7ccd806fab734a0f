#include "taut/server/live_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.hpp"
#include "taut/scene/reference_track.hpp"
#include "taut/server/stage.hpp"

namespace taut::server {
namespace {

constexpr auto frame_interval = std::chrono::microseconds(14'000);  // a little less than 1/60 s
constexpr auto most_behind = std::chrono::milliseconds(50);         // a run behind the clock
constexpr auto longest_sleep = std::chrono::milliseconds(5);        // that commands may wait for
constexpr double records_per_second = 120;
constexpr double records_per_run = 1000;

long steps_between_records(double step, double duration) {
  const double wanted = std::min(1 / records_per_second, duration / records_per_run);
  return std::max(1L, static_cast<long>(std::floor(wanted / step * (1 + 1e-9))));
}

/// What fits: an edit may have given an input another range, or done away with it.
void take_inputs(const std::map<std::string, double>& values, Inputs inputs) {
  for (int i = 0; i < inputs.size(); ++i) {
    const Input& info = inputs.info(i);
    const auto found = values.find(info.name);
    if (found != values.end()) inputs.set(i, std::clamp(found->second, info.min, info.max));
  }
}

}  // namespace

LiveRun::LiveRun(LivePlan plan, std::optional<State> start,
                 std::shared_ptr<const History> reference)
    : plan_(std::move(plan)), reference_(std::move(reference)) {
  build(plan_, std::move(start), {});
  history_ = std::make_shared<History>(plan_.history_bytes,
                                       steps_between_records(plan_.step, stage_->scene.duration));
  publish();
  history_->add(now(), 0, moment_.shot.metrics, moment_.shot.hands, moment_.shot.inputs);
  if (!ports_.empty()) display_ = std::thread([this] { display(); });
  thread_ = std::thread([this] { loop(); });
}

LiveRun::~LiveRun() {
  is_stopping_ = true;
  wake();
  thread_.join();
  if (display_.joinable()) display_.join();
}

void LiveRun::build(const LivePlan& plan, std::optional<State> from, Pulls pulls) {
  auto next = std::make_unique<Stage>(plan.scene());
  System& system = next->scene.system;
  State state = from ? std::move(*from) : system.initial_state();
  if (state.q.size() != system.position_size() || state.v.size() != system.velocity_size())
    throw Error("the scene has other bodies now: it can only start anew");
  take_inputs(stage_ ? input_values() : plan.inputs, system.inputs());
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
  if (!plan.contact_solver.empty()) options.contact_solver = plan.contact_solver;
  next->track = io::reference_track(next->scene);
  next->method = plan.method.make();
  next->stepping =
      std::make_unique<Stepping>(system, std::move(state), *next->method, std::move(options));
  const std::size_t hands = hand::hands_of(system).size();
  for (std::size_t i = ports_.size(); i < hands; ++i) {
    ports_.push_back(std::make_unique<HandPort>());
    if (i < plan.devices.size()) ports_.back()->device = plan.devices[i];
  }
  for (std::size_t i = 0; i < hands; ++i) {
    next->hands.emplace_back(system, static_cast<int>(i), *ports_[i], plan.step);
    const State& start = next->stepping->state();
    if (stage_) next->hands.back().go_on_as(stage_->hands[i], start.time);
    next->hands.back().look(start);
  }

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
  ++epoch_;
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
      {
        const std::lock_guard alone(showing_);
        run_commands();
      }
      publish();
    } else if (may_step() && pace_ > 0) {
      step_in_time();
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
  const State& state = now();
  stage_->pulls.follow(stage_->scene.system, state);
  for (HandDrive& hand : stage_->hands) {
    hand.before_step(state.time + step_);
    if (!hand.carries(state, carried_)) continue;
    stage_->stepping->put(carried_);
    was_changed_ = true;
  }
  stage_->stepping->step();
  for (HandDrive& hand : stage_->hands) hand.after_step(state);
  time_ = state.time;
  is_dirty_ = true;
  const RunReport& report = stage_->stepping->report();
  if (report.status == RunStatus::diverged) end("diverged", report.reason);
  if (pace_ > 0) return;  // the display records
  if (!history_->is_due()) {
    history_->skip();
  } else if (report.status == RunStatus::ok) {
    look();
    history_->add(state, moment_.shot.index, moment_.shot.metrics, moment_.shot.hands,
                  moment_.shot.inputs);
  }
}

// Steps that come too late are done at once, until they have caught up; what is missed by more than
// a little is left out.
void LiveRun::step_in_time() {
  const double pace = pace_;
  if (!(pace > 0)) return;
  const auto period =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(step_ / pace));
  simulation_meter_.start(pace / step_);
  Clock::time_point begin = Clock::now();
  if (begin > due_ + most_behind || begin < due_ - period - most_behind) due_ = begin;
  if (begin < due_) {
    if (begin - judged_ >= verdict_interval) judge();
    const auto is_woken = [&] { return is_stopping_ || has_commands_ || !may_step(); };
    if (period <= longest_sleep) {
      std::this_thread::sleep_until(due_);
    } else {
      std::unique_lock lock(mutex_);
      woken_.wait_until(lock, due_, is_woken);
    }
    if (is_woken() || Clock::now() < due_) return;
    begin = Clock::now();
  }
  step_once();
  look();
  if (begin - measured_ >= frame_interval) measure_forces();
  moment_.is_record = true;
  moments_.write(moment_);
  due_ += period;
  const Clock::time_point end = Clock::now();
  using Seconds = std::chrono::duration<double>;
  simulation_meter_.add(
      {Seconds(end - begin).count(), Seconds(begin - (due_ - period)).count(), end > due_});
}

void LiveRun::end(std::string status, std::string reason) {
  is_over_ = true;
  const std::lock_guard lock(mutex_);
  state_.status = std::move(status);
  state_.reason = std::move(reason);
}

}  // namespace taut::server
