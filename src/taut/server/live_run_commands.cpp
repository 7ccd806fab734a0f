// What others tell a run, between two of its steps.
#include <future>

#include "taut/server/live_run.hpp"

namespace taut::server {

void LiveRun::run_commands() {
  for (;;) {
    std::function<void()> next;
    {
      const std::lock_guard lock(mutex_);
      if (commands_.empty()) {
        has_commands_ = false;
        return;
      }
      next = std::move(commands_.front());
      commands_.pop_front();
    }
    next();
  }
}

void LiveRun::wake() {
  { const std::lock_guard lock(mutex_); }  // not between the thread's look and its sleep
  woken_.notify_one();
}

void LiveRun::post(std::function<void()> action) {
  {
    const std::lock_guard lock(mutex_);
    commands_.push_back(std::move(action));
    has_commands_ = true;
  }
  woken_.notify_one();
}

void LiveRun::execute(const std::function<void()>& action) {
  std::promise<void> done;
  post([&] {
    try {
      action();
      done.set_value();
    } catch (...) {
      done.set_exception(std::current_exception());
    }
  });
  done.get_future().get();
}

void LiveRun::set_goal(double time) {
  goal_ = time;
  wake();
}

void LiveRun::wish(const Wishes& wishes) {
  const bool forces = wishes.forces || wishes.tension;
  if (forces == wants_forces_ && wishes.contacts == wants_contacts_) return;
  wants_forces_ = forces;
  wants_contacts_ = wishes.contacts;
  post([this] { is_dirty_ = true; });  // what is shown now lacks it
}

SnapshotPointer LiveRun::newest() const {
  const std::lock_guard lock(mutex_);
  return newest_;
}

RunState LiveRun::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

SnapshotPointer LiveRun::recorded_at(std::size_t index) const {
  const auto record = history_->at(index);
  if (!record) return nullptr;
  const SnapshotPointer now = newest();
  auto shot = std::make_shared<Snapshot>();
  shot->frame = now->frame;
  shot->generation = now->generation;
  shot->index = index;
  shot->state = record->state;
  shot->metrics = record->metrics;
  shot->hands = record->hands;
  shot->inputs = record->inputs;
  return shot;
}

State LiveRun::current() {
  State state;
  execute([&] { state = now(); });
  return state;
}

void LiveRun::rewind(double time) {
  execute([&] {
    const auto index = history_->find(time);
    if (!index) return;
    const auto record = history_->at(*index);
    history_->cut_after(record->state.time);
    build(plan_, record->state, {});
    Inputs inputs = stage_->scene.system.inputs();
    if (inputs.values().size() == record->inputs.size()) inputs.set_all(record->inputs);
    before_.steps = record->steps;
    before_.accumulated = record->metrics[Metric::accumulated_error];
    before_.max_error = record->metrics[Metric::max_error];
    is_over_ = false;
    const std::lock_guard lock(mutex_);
    state_.status = "ok";
    state_.reason.clear();
  });
}

void LiveRun::replace(LivePlan plan) {
  execute([&] {
    if (is_over_) {  // it is only shown
      plan_.generation = plan.generation;
      return;
    }
    build(plan, now(), stage_->pulls);
    plan_ = std::move(plan);
  });
}

Pulls::Strength LiveRun::grab(const Grab& grab) {
  Pulls::Strength strength;
  execute([&] {
    Pulls pulls = stage_->pulls;
    pulls.add(grab);
    build(plan_, now(), std::move(pulls));
    strength = stage_->pulls.strength(grab.id);
  });
  return strength;
}

void LiveRun::move(std::uint32_t grab, const Vec3& target) {
  post([this, grab, target] {
    stage_->pulls.move(grab, target);
    is_dirty_ = true;
  });
}

void LiveRun::release(std::uint32_t grab) {
  execute([&] {
    Pulls pulls = stage_->pulls;
    pulls.remove(grab);
    build(plan_, now(), std::move(pulls));
  });
}

void LiveRun::push(int body, const Vec3& local, const Vec3& velocity) {
  execute([&] {
    State state = now();
    const BodyId id = stage_->frame->order.bodies[static_cast<std::size_t>(body)];
    VecX impulse = VecX::Zero(state.v.size());
    Pose(stage_->scene.system, state.q)
        .add_force(Point(id, local), stage_->scene.system.mass(id) * velocity, impulse);
    stage_->scene.system.apply_inverse_mass(impulse, impulse);
    state.v += impulse;
    build(plan_, std::move(state), stage_->pulls);
  });
}

void LiveRun::set_input(const std::string& name, double value) {
  execute([&] {
    Inputs inputs = stage_->scene.system.inputs();
    inputs.set(inputs.find(name), value);
    history_->note_inputs(now().time, inputs.values());
    is_dirty_ = true;
  });
}

std::map<std::string, double> LiveRun::inputs() {
  std::map<std::string, double> values;
  execute([&] { values = input_values(); });
  return values;
}

std::map<std::string, double> LiveRun::input_values() const {
  std::map<std::string, double> values;
  const Inputs inputs = stage_->scene.system.inputs();
  for (int i = 0; i < inputs.size(); ++i) values[inputs.info(i).name] = inputs.value(i);
  return values;
}

void LiveRun::put_hand(int hand, const devices::HandSample& sample) {
  ports_[static_cast<std::size_t>(hand)]->samples.write(sample);
}

void LiveRun::let_hand_go(int hand) { ports_[static_cast<std::size_t>(hand)]->is_let_go = true; }

std::optional<devices::HandForces> LiveRun::hand_forces(int hand) {
  devices::HandForces forces;
  if (!ports_[static_cast<std::size_t>(hand)]->forces.read(forces)) return std::nullopt;
  return forces;
}

void LiveRun::inspect(const std::function<void(const io::Scene&, Stepping&)>& look) {
  execute([&] { look(stage_->scene, *stage_->stepping); });
}

}  // namespace taut::server
