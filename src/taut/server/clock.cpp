// The clock of a world: how far its runs may go. They run at their own pace, but stay together.
#include <cmath>

#include "taut/server/world.hpp"
#include "taut/text/json.hpp"

namespace taut::server {
namespace {

constexpr auto period = std::chrono::milliseconds(4);
constexpr double longest_gap = 0.1;  // s between two ticks that count; more was a pause
constexpr double lead = 0.05;        // real s that the goal may be ahead of the slowest run
constexpr auto rate_interval = std::chrono::milliseconds(500);

double seconds(std::chrono::steady_clock::duration d) {
  return std::chrono::duration<double>(d).count();
}

}  // namespace

void World::keep_time() {
  std::unique_lock lock(mutex_);
  while (!closing_.wait_for(lock, is_playing_ ? period : 5 * period, [&] { return is_closing_; }))
    tick(Clock::now());
}

// With the lock.
void World::tick(Clock::time_point now) {
  const double gap = std::min(seconds(now - last_tick_), longest_gap);
  last_tick_ = now;
  double slowest = INFINITY, step = 0;
  bool is_there = true;  // at `until`
  for (const auto& run : runs_) {
    step = std::max(step, run->step());
    if (run->is_over()) continue;
    slowest = std::min(slowest, run->time());
    if (until_ && run->time() + run->step() <= *until_ + 1e-6 * run->step()) is_there = false;
  }
  if (now - measured_at_ >= rate_interval) {
    rate_ = std::isfinite(slowest) && is_playing_
                ? std::max(0.0, (slowest - measured_time_) / seconds(now - measured_at_))
                : 0;
    measured_time_ = std::isfinite(slowest) ? slowest : 0;
    measured_at_ = now;
  }
  if (!is_playing_) return;
  if (!std::isfinite(slowest) || (until_ && is_there)) {
    is_playing_ = false;
    until_.reset();
    ++revision_;
    return;
  }
  // A run with hands keeps the pace by itself, where it need not wait for others.
  const bool is_paced = runs_.size() == 1 && speed_ > 0 && runs_[0]->keeps_pace();
  for (const auto& run : runs_) run->set_pace(is_paced ? speed_ : 0);
  if (is_paced)
    goal_ = slowest + std::max(2 * step, lead * speed_);
  else if (speed_ > 0)
    goal_ = std::min(goal_ + gap * speed_, slowest + std::max(2 * step, lead * speed_));
  else  // as fast as possible; several runs wait for each other
    goal_ = runs_.size() == 1 && !is_recording_ ? INFINITY
                                                : slowest + std::max(50 * step, 2 * lead * rate_);
  if (until_) goal_ = std::min(goal_, *until_);
  for (const auto& run : runs_) run->set_goal(goal_);
}

// Those that are behind catch up with the others. With the lock.
void World::hold() {
  is_playing_ = false;
  until_.reset();
  double first = -INFINITY;
  for (const auto& run : runs_)
    if (!run->is_over()) first = std::max(first, run->time());
  if (std::isfinite(first)) goal_ = first;
  for (const auto& run : runs_) run->set_goal(goal_);
}

void World::play(std::optional<double> speed, std::optional<double> until) {
  const std::lock_guard lock(mutex_);
  if (speed) speed_ = *speed;
  until_ = until;
  if (!is_playing_ || !std::isfinite(goal_)) {
    double slowest = INFINITY;
    for (const auto& run : runs_)
      if (!run->is_over()) slowest = std::min(slowest, run->time());
    if (std::isfinite(slowest)) {
      goal_ = slowest;
    } else if (is_recording_) {  // from the beginning again
      goal_ = runs_[0]->recorded().first;
      runs_[0]->set_goal(goal_);
    }
  }
  last_tick_ = measured_at_ = Clock::now();
  measured_time_ = goal_;
  is_playing_ = true;
  ++revision_;
  if (speed_ == 0 && rate_ == 0) rate_ = 1;
  tick(Clock::now());
  closing_.notify_all();
}

void World::play_when_watched() {
  const std::lock_guard lock(mutex_);
  is_waiting_ = true;
}

void World::pause() {
  const std::lock_guard lock(mutex_);
  is_waiting_ = false;
  hold();
  ++revision_;
}

void World::step(long count) {
  const std::lock_guard lock(mutex_);
  hold();
  double longest = 0;
  for (const auto& run : runs_)
    if (!run->is_over()) longest = std::max(longest, run->step());
  if (!std::isfinite(goal_)) goal_ = runs_[0]->time();
  goal_ += static_cast<double>(count) * longest;
  for (const auto& run : runs_) run->set_goal(goal_);
  ++revision_;
}

bool World::is_playing() const {
  const std::lock_guard lock(mutex_);
  return is_playing_;
}

std::string World::status() const {
  using io::Json;
  Runs runs;
  Json json;
  {
    const std::lock_guard lock(mutex_);
    runs = runs_;
    Json grabs = Json::array();
    for (const std::uint32_t grab : grabs_) grabs.push_back(grab);
    json = {{"type", "status"},         {"world", id_},    {"generation", generation_},
            {"playing", is_playing_},   {"speed", speed_}, {"rate", Json::number_or_null(rate_)},
            {"grabs", std::move(grabs)}};
  }
  double slowest = INFINITY;
  Json all = Json::array();
  for (const auto& run : runs) {
    const RunState state = run->state();
    const History::Range recorded = run->recorded();
    slowest = std::min(slowest, run->time());
    all.push_back(
        {{"status", state.status},
         {"reason", state.reason},
         {"time", Json::number_or_null(run->time())},
         {"steps", state.steps},
         {"doubts", state.doubts},
         {"history",
          {{"count", recorded.count}, {"first", recorded.first}, {"last", recorded.last}}}});
  }
  json["time"] = Json::number_or_null(slowest);
  json["runs"] = std::move(all);
  io::Json loops = runs.empty() ? io::Json() : runs[0]->loops();
  if (rules_.loops) rules_.loops(loops);
  if (!loops.is_null()) json["loops"] = std::move(loops);
  return json.dump();
}

}  // namespace taut::server
