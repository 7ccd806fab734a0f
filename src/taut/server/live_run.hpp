// A simulation in its own thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <thread>

#include "taut/scene/method_plan.hpp"
#include "taut/server/pulls.hpp"
#include "taut/server/run.hpp"

namespace taut::server {

struct LivePlan {
  /// Makes the scene anew; called in the thread of the run, as often as needed.
  std::function<io::Scene()> scene;
  io::MethodPlan method;
  double step = 0.01;
  std::uint32_t generation = 0;
  std::size_t history_bytes = 0;
};

class LiveRun final : public Run {
 public:
  /// `reference`: what a run without a known motion is compared with; may be null. Throws Error
  /// when the simulation cannot start.
  LiveRun(LivePlan plan, std::optional<State> start, std::shared_ptr<const History> reference);
  ~LiveRun() override;

  void set_goal(double time) override;
  double time() const override { return time_; }
  double step() const override { return step_; }
  bool is_over() const override { return is_over_; }
  void wish(const Wishes& wishes) override;
  SnapshotPointer newest() const override;
  RunState state() const override;

  History::Range recorded() const override { return history_->range(); }
  std::vector<double> recorded_times() const override { return history_->times(); }
  std::vector<double> recorded_values(Metric metric) const override {
    return history_->values(metric);
  }
  std::optional<std::size_t> find_recorded(double time) const override {
    return history_->find(time);
  }
  SnapshotPointer recorded_at(std::size_t index) const override;
  void rewind(double time) override;

  std::shared_ptr<const History> history() const { return history_; }
  /// The state between two steps.
  State current();
  /// Goes on with another scene from the present state. Its bodies must be the same.
  void replace(LivePlan plan);

  Pulls::Strength grab(const Grab& grab);
  void move(std::uint32_t grab, const Vec3& target);
  void release(std::uint32_t grab);
  /// An impulse on a body at a point of it; `velocity` times the body's mass.
  void push(int body, const Vec3& local, const Vec3& velocity);

  /// Calls with what is there between two steps, in the thread of the run, and waits for it.
  void inspect(const std::function<void(const io::Scene&, Stepping&)>& look);

 private:
  using Clock = std::chrono::steady_clock;

  // In the thread of the run:
  void loop();
  void go_on();
  bool may_step() const;
  void step_once();
  void run_commands();
  void publish();
  /// Builds the stage from a state; without one, from the start. On an error all stays as it was.
  void build(const LivePlan& plan, std::optional<State> from, Pulls pulls);
  const State& now() const { return stage_->stepping->state(); }
  MetricValues measure_metrics();
  double deviation();
  void end(std::string status, std::string reason);

  /// Runs in the thread of the run, between two steps; waits. What it throws is thrown here.
  void execute(const std::function<void()>& action);
  void post(std::function<void()> action);
  void wake();

  LivePlan plan_;
  std::shared_ptr<const History> reference_;
  std::shared_ptr<History> history_;
  /// What is made anew when the scene changes.
  struct Stage {
    explicit Stage(io::Scene of) : scene(std::move(of)) {}
    io::Scene scene;
    std::unique_ptr<Method> method;
    std::unique_ptr<Stepping> stepping;
    std::shared_ptr<const Frame> frame;
    std::optional<ReferenceTrack> track;
    Pulls pulls;
  };
  std::unique_ptr<Stage> stage_;
  bool was_changed_ = false;  // by a grab, a push, an edit: then a verdict means nothing
  // Of what was before the present Stepping:
  struct {
    std::uint64_t steps = 0;
    double accumulated = 0, max_error = 0, energy_error = 0;
    long halved = 0;
  } before_;
  double max_deviation_ = 0;
  // For moving averages:
  double cost_ = 0, cost_seconds_ = 0, iterations_ = 0;
  long cost_steps_ = 0, cost_iterations_ = 0;
  bool is_dirty_ = true;
  std::uint64_t version_ = 0;
  Clock::time_point published_{}, judged_{};

  std::atomic<double> goal_{0}, time_{0}, step_{1};
  std::atomic<bool> is_over_{false}, has_commands_{false}, is_stopping_{false};
  std::atomic<bool> wants_forces_{false}, wants_contacts_{false};

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable woken_;
  std::deque<std::function<void()>> commands_;
  SnapshotPointer newest_;
  RunState state_;

  std::thread thread_;
};

}  // namespace taut::server
