// A simulation in its own thread.
//
// With hands there are two: the simulation keeps the pace of the clock step by step, and hands the
// newest moment over without locks; the display takes it, 60 times a second, and makes of it what
// clients are sent and what is recorded.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <thread>

#include "taut/scene/method_plan.hpp"
#include "taut/server/loop_meter.hpp"
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
  std::string contact_solver;  ///< empty: the exact one
  /// Of inputs of the scene; those that are not there are what the scene says.
  std::map<std::string, double> inputs;
  double display_rate = 60;  ///< Hz, with hands
  /// What moves each hand; none: the scene's motion, or clients.
  std::vector<std::shared_ptr<devices::Device>> devices;
};

class LiveRun final : public Run {
 public:
  /// `reference`: what a run without a known motion is compared with; may be null. Throws Error
  /// when the simulation cannot start.
  LiveRun(LivePlan plan, std::optional<State> start, std::shared_ptr<const History> reference);
  ~LiveRun() override;

  void set_goal(double time) override;
  void set_pace(double speed) override { pace_ = speed; }
  bool keeps_pace() const override { return !ports_.empty(); }
  double time() const override { return time_; }
  double step() const override { return step_; }
  bool is_over() const override { return is_over_; }
  void wish(const Wishes& wishes) override;
  SnapshotPointer newest() const override;
  RunState state() const override;
  io::Json loops() const override;

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

  /// Throws Error for a name that the scene has not, and a value out of range.
  void set_input(const std::string& name, double value);
  std::map<std::string, double> inputs();

  // Hands, by number. Of each, one thread at a time.
  int hand_count() const { return static_cast<int>(ports_.size()); }
  void put_hand(int hand, const devices::HandSample& sample);
  /// The scene's motion moves it again.
  void let_hand_go(int hand);
  /// What is newest, if anything is new since the last call.
  std::optional<devices::HandForces> hand_forces(int hand);

  /// Calls with what is there between two steps, in the thread of the run, and waits for it.
  void inspect(const std::function<void(const io::Scene&, Stepping&)>& look);

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto verdict_interval = std::chrono::seconds(1);

  // In the thread of the run:
  void loop();
  void go_on();
  bool may_step() const;
  void step_once();
  /// Waits until the step is due, unless something else is to be done, and does it.
  void step_in_time();
  void run_commands();
  void publish();
  /// What is known of the present, into moment_; costs little.
  void look();
  void measure_forces();
  void judge();
  /// Builds the stage from a state; without one, from the start. On an error all stays as it was.
  void build(const LivePlan& plan, std::optional<State> from, Pulls pulls);
  const State& now() const { return stage_->stepping->state(); }
  std::map<std::string, double> input_values() const;
  void measure_metrics(MetricValues& out);
  double deviation();
  void end(std::string status, std::string reason);

  // In the thread of the display:
  void display();
  /// In either of the two, one at a time.
  struct Moment;
  void show(const Moment& moment);

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
    std::vector<HandDrive> hands;
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
  Clock::time_point published_{}, judged_{}, measured_{};
  Clock::time_point due_{};  // the next step, at the pace of the clock
  Pose pose_;
  VecX carried_;

  /// What one thread hands over to the other.
  struct Moment {
    Snapshot shot;
    unsigned epoch = 0;  ///< of what was built anew meanwhile, nothing is shown
    bool is_record = false;
  };
  Moment moment_;
  haptics::Newest<Moment> moments_;
  std::atomic<unsigned> epoch_{0};
  std::mutex showing_;  // guards what follows, and show(); never held by a step in time
  std::uint64_t version_ = 0;

  std::atomic<double> goal_{0}, time_{0}, step_{1}, pace_{0};
  std::atomic<bool> is_over_{false}, has_commands_{false}, is_stopping_{false};
  std::atomic<bool> wants_forces_{false}, wants_contacts_{false};

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable woken_;
  std::deque<std::function<void()>> commands_;
  SnapshotPointer newest_;
  RunState state_;

  std::vector<std::unique_ptr<HandPort>> ports_;
  LoopMeter simulation_meter_, display_meter_;

  std::thread thread_, display_;
};

}  // namespace taut::server
