// What clients with the token do to a world.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.hpp"
#include "taut/server/world.hpp"

namespace taut::server {

std::shared_ptr<LiveRun> World::live(int run) const {
  const Runs all = runs();
  if (run < 0 || static_cast<std::size_t>(run) >= all.size())
    throw Error(fmt::format("there is no run {}, expected 0 to {}", run, all.size() - 1));
  auto live = std::dynamic_pointer_cast<LiveRun>(all[static_cast<std::size_t>(run)]);
  if (!live) throw Error("this is a recording: it can be watched, and not changed");
  return live;
}

// Those that have diverged stay as they are.
template <class Do>
void World::for_each_live(const Do& action) const {
  bool was_one_there = false;
  for (std::size_t i = 0; i < runs().size(); ++i) {
    const auto run = live(static_cast<int>(i));
    if (run->is_over()) continue;
    action(*run);
    was_one_there = true;
  }
  if (!was_one_there) throw Error("all runs have diverged: reset them first");
}

void World::require_simulation() const { live(0); }

void World::require_body(int body) const {
  const int count = runs()[0]->newest()->frame->order.count();
  if (body < 0 || body >= count)
    throw Error(fmt::format("there is no body {}, expected 0 to {}", body, count - 1));
}

Vec3 World::local_point(int run, int body, const Vec3& at) const {
  live(run);
  const SnapshotPointer shot = runs()[static_cast<std::size_t>(run)]->newest();
  const BodyOrder& order = shot->frame->order;
  const int rigid = body - static_cast<int>(order.particles.size());
  if (rigid < 0) return Vec3::Zero();
  const double* q = shot->state.q.data() + order.rigid[static_cast<std::size_t>(rigid)].q;
  return Quat(q[3], q[4], q[5], q[6]).conjugate() * (at - Vec3(q[0], q[1], q[2]));
}

void World::reset() {
  const std::lock_guard control(control_);
  if (is_recording_) {
    const std::lock_guard lock(mutex_);
    goal_ = runs_[0]->recorded().first;
    runs_[0]->set_goal(goal_);
    ++revision_;
    return;
  }
  install(*document_, requests_, std::nullopt);
}

void World::rewind(double time) {
  const std::lock_guard control(control_);
  for (const auto& run : runs()) run->set_goal(-INFINITY);
  for (const auto& run : runs()) run->rewind(time);
  const std::lock_guard lock(mutex_);
  goal_ = -INFINITY;
  for (const auto& run : runs_) goal_ = std::max(goal_, run->time());
  for (const auto& run : runs_) run->set_goal(goal_);
  grabs_.clear();
  ++revision_;
}

void World::set_runs(std::vector<RunRequest> requests, bool from_now) {
  const std::lock_guard control(control_);
  require_simulation();
  std::optional<State> start;
  std::map<std::string, double> inputs;
  if (from_now) {
    start = live(0)->current();
    inputs = live(0)->inputs();
  }
  Document document = *document_;
  // One run is how the scene is simulated: it belongs into its file.
  if (requests.size() == 1 && !requests[0].method.empty()) {
    const io::Scene scene = document.read();
    const double step = requests[0].step > 0 ? requests[0].step : scene.step;
    document = document.with_run({requests[0].method, step, requests[0].options});
  }
  install(std::move(document), std::move(requests), std::move(start), std::move(inputs));
}

void World::change(const Change& change) {
  const std::lock_guard control(control_);
  require_simulation();
  Document document = document_->with_parameters(change.parameters);
  if (change.gravity) document = document.with_gravity(*change.gravity);
  if (change.keep)
    exchange(std::move(document));
  else
    install(std::move(document), requests_, std::nullopt);
}

void World::edit(std::string text) {
  const std::lock_guard control(control_);
  require_simulation();
  install(Document::from_text(std::move(text), document_->origin()), requests_, std::nullopt);
}

Pulls::Strength World::grab(const Taken& taken) {
  const std::lock_guard control(control_);
  require_simulation();
  require_body(taken.body);
  {
    const std::lock_guard lock(mutex_);
    if (grabs_.size() >= most_grabs && !grabs_.contains(taken.grab))
      throw Error(fmt::format("there are {} grabs already", grabs_.size()));
    grabs_.insert(taken.grab);
    ++revision_;
  }
  Grab grab{taken.grab, taken.body, local_point(taken.run, taken.body, taken.at), taken.at,
            taken.strength};
  std::optional<Pulls::Strength> first;
  for_each_live([&](LiveRun& run) {
    const Pulls::Strength strength = run.grab(grab);
    if (!first) first = strength;
  });
  return *first;
}

void World::move(std::uint32_t grab, const Vec3& target) {
  const std::lock_guard control(control_);
  {
    const std::lock_guard lock(mutex_);
    if (!grabs_.contains(grab)) throw Error(fmt::format("there is no grab {}", grab));
  }
  for_each_live([&](LiveRun& run) { run.move(grab, target); });
}

void World::release(std::uint32_t grab) {
  const std::lock_guard control(control_);
  {
    const std::lock_guard lock(mutex_);
    if (grabs_.erase(grab) == 0) throw Error(fmt::format("there is no grab {}", grab));
    ++revision_;
  }
  for_each_live([&](LiveRun& run) { run.release(grab); });
}

void World::push(int body, const std::optional<Vec3>& at, const Vec3& velocity) {
  const std::lock_guard control(control_);
  require_simulation();
  require_body(body);
  const Vec3 local = at ? local_point(0, body, *at) : Vec3(Vec3::Zero());
  for_each_live([&](LiveRun& run) { run.push(body, local, velocity); });
}

void World::set_input(const std::string& name, double value) {
  const std::lock_guard control(control_);
  require_simulation();
  for_each_live([&](LiveRun& run) { run.set_input(name, value); });
}

std::string World::pin(int body, const std::optional<Vec3>& at) {
  const std::lock_guard control(control_);
  require_simulation();
  require_body(body);
  const SnapshotPointer shot = runs()[0]->newest();
  const BodyOrder& order = shot->frame->order;
  const BodyId id = order.bodies[static_cast<std::size_t>(body)];
  const io::Scene scene = document_->read();
  Document::NewPin pin;
  pin.body = scene.system.body_name(id);
  pin.is_rigid = scene.system.is_rigid(id);
  pin.place = shot->state.q.segment<3>(scene.system.slot(id).q);
  if (at && pin.is_rigid) {
    pin.place = *at;
    pin.local = local_point(0, body, *at);
  }
  std::set<std::string> taken;
  for (const auto& batch : scene.system.constraints())
    for (int i = 0; i < batch->size(); ++i) taken.insert(batch->name(i));
  for (int i = 1; pin.name.empty() || taken.contains(pin.name); ++i)
    pin.name = fmt::format("added pin {}", i);
  exchange(document_->with_pin(pin));
  return pin.name;
}

void World::unpin(const std::string& constraint) {
  const std::lock_guard control(control_);
  require_simulation();
  exchange(document_->without_pin(document_->read(), constraint));
}

void World::unpin(int body) {
  const std::lock_guard control(control_);
  require_simulation();
  require_body(body);
  const BodyId id = runs()[0]->newest()->frame->order.bodies[static_cast<std::size_t>(body)];
  Document document = *document_;
  bool was_pinned = false;
  for (bool is_done = false; !is_done;) {
    is_done = true;
    const io::Scene scene = document.read();
    for (const auto& batch : scene.system.constraints()) {
      if (batch->type() != "pin" || !is_done) continue;
      for (int i = 0; i < batch->size() && is_done; ++i) {
        std::array<Anchor, 1> anchor;
        batch->anchors(i, anchor);
        if (anchor[0].body != id) continue;
        document = document.without_pin(scene, batch->name(i));
        was_pinned = true;
        is_done = false;  // names may have changed
      }
    }
  }
  if (!was_pinned) throw Error(fmt::format("body {} has no pin", body));
  exchange(std::move(document));
}

}  // namespace taut::server
