// A scene or recording that is shown, its runs, and the clock they follow together.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "taut/scene/method_plan.hpp"
#include "taut/server/document.hpp"
#include "taut/server/live_run.hpp"
#include "taut/server/stage.hpp"

namespace taut::server {

struct RunRequest {
  std::string method;  ///< empty: the scene's
  double step = 0;     ///< 0: the scene's
  std::vector<OptionValue> options;
  std::string contact_solver;  ///< empty: with hands that of real time, else the exact one
};

/// Who may move a hand.
enum class HandSource { mouse, webxr, module };
std::string_view name(HandSource source);
/// Throws Error, with the nearest name.
HandSource find_hand_source(std::string_view text);
/// What moves the hands of a world, beside the scene's motion.
struct HandRules {
  std::vector<std::shared_ptr<devices::Device>> devices;  ///< per hand; may be shorter
  /// Per hand; one that is not there may be moved by all.
  std::vector<std::set<HandSource>> sources;
  double display_rate = 60;  ///< Hz
  /// Adds loops that the world does not know to its status.
  std::function<void(io::Json&)> loops;
};

class World {
 public:
  /// Throw Error.
  World(std::string id, Document document, std::vector<RunRequest> runs, HandRules hands = {});
  World(std::string id, const std::string& recording);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // What can be seen; from any thread, and without waiting ---------------------------------------
  const std::string& id() const { return id_; }
  std::string name() const;
  std::string title() const;
  double duration() const;  ///< of the scene, s
  std::uint32_t generation() const;
  std::shared_ptr<const StageMessages> stage() const;
  using Runs = std::vector<std::shared_ptr<Run>>;
  Runs runs() const;
  /// The JSON of the message `status`.
  std::string status() const;
  /// Grows when the status has changed by a command.
  std::uint64_t revision() const;
  bool is_playing() const;
  std::string text() const;
  bool is_recording() const { return is_recording_; }
  /// Keeps count of who watches, and of what they want to see.
  void enter(const void* client, const Wishes& wishes);
  void leave(const void* client);
  std::size_t client_count() const;
  /// Since when there has been none.
  std::optional<std::chrono::steady_clock::time_point> deserted_since() const;

  // Control; one after another, may take a while. Throw Error ------------------------------------
  void play(std::optional<double> speed, std::optional<double> until);
  /// Plays as soon as somebody watches.
  void play_when_watched();
  void pause();
  void step(long count);
  void reset();
  void rewind(double time);
  void set_runs(std::vector<RunRequest> requests, bool from_now);
  struct Change {
    std::map<std::string, double> parameters;
    std::optional<Vec3> gravity;
    bool keep = true;
  };
  void change(const Change& change);
  void edit(std::string text);
  struct Taken {
    std::uint32_t grab = 0;
    int run = 0, body = 0;
    Vec3 at = Vec3::Zero();
    double strength = 1;
  };
  Pulls::Strength grab(const Taken& taken);
  void move(std::uint32_t grab, const Vec3& target);
  void release(std::uint32_t grab);
  void push(int body, const std::optional<Vec3>& at, const Vec3& velocity);
  /// Of an input of the scene; it stays until it is set again or all starts anew.
  void set_input(const std::string& name, double value);
  /// Returns the name of the new constraint.
  std::string pin(int body, const std::optional<Vec3>& at);
  void unpin(const std::string& constraint);
  void unpin(int body);
  // Hands: world_hands.cpp. Wait for nobody.
  struct HandMove {
    int hand = 0;
    HandSource source = HandSource::mouse;
    devices::HandSample sample;
  };
  /// What it feels now. `client` has the hand from then on, until it lets go, leaves, or is silent
  /// for a second.
  devices::HandForces move_hand(const void* client, const HandMove& move);
  void let_hand_go(const void* client, int hand);
  /// By number or name.
  int find_hand(std::string_view name) const;
  hand::HandModel hand_model(int hand) const;

  /// What is known of something that was picked: values.cpp.
  enum class Picked { body, constraint, joint };
  io::Json values(int run, Picked kind, int number);
  /// What was recorded of a run, as the bytes of a recording.
  std::string recording_of(int run);

 private:
  using Clock = std::chrono::steady_clock;

  struct Planned {
    LivePlan plan;
    RunRequest request;
  };
  Planned planned(const Document& document, const io::Scene& scene, const RunRequest& request,
                  std::size_t share) const;
  static void set_contact_solver(const io::Scene& scene, const RunRequest& request, LivePlan& plan);
  /// Replaces everything by a scene and its runs, from the start or from a state.
  void install(Document document, std::vector<RunRequest> requests, std::optional<State> start,
               std::map<std::string, double> inputs = {});
  /// Holds the runs that are there, since a device has one reader.
  void note_hands(const io::Scene& scene, std::size_t run_count);
  /// Goes on with a changed scene, from where everything is.
  void exchange(Document document);
  void describe(const Document& document, const io::Scene& scene,
                const std::vector<Planned>& planned, std::uint32_t generation);
  std::shared_ptr<LiveRun> live(int run) const;
  template <class Do>
  void for_each_live(const Do& action) const;
  Vec3 local_point(int run, int body, const Vec3& at) const;
  void require_body(int body) const;
  void require_simulation() const;
  void note_change();
  void pass_wishes_on();

  // The clock:
  void keep_time();
  void tick(Clock::time_point now);
  void hold();

  const std::string id_;
  bool is_recording_ = false;
  std::optional<Document> document_;
  std::vector<RunRequest> requests_;
  std::vector<io::MethodPlan> plans_;
  const HandRules rules_;
  std::map<std::string, double> defaults_;  // of parameters, as the scene was opened
  std::mutex control_;                      // one command at a time; guards the above

  mutable std::mutex mutex_;  // guards what follows
  Runs runs_;
  std::shared_ptr<const StageMessages> stage_;
  std::string name_, title_, text_;
  double duration_ = 0;
  std::uint32_t generation_ = 0;
  std::uint64_t revision_ = 1;
  bool is_playing_ = false, is_waiting_ = false;
  double speed_ = 1, goal_ = 0, rate_ = 0, measured_time_ = 0;
  std::optional<double> until_;
  Clock::time_point last_tick_, measured_at_;
  std::map<const void*, Wishes> clients_;
  std::optional<Clock::time_point> deserted_;
  std::set<std::uint32_t> grabs_;

  /// Who moves a hand, and what it felt last.
  struct Mover {
    const void* client = nullptr;
    Clock::time_point seen{};
    devices::HandForces forces;
  };
  void require_mover(const void* client, int hand);
  mutable std::mutex hands_mutex_;  // guards what follows
  std::vector<Mover> movers_;
  std::vector<std::string> hand_names_;
  std::vector<hand::HandModel> hand_models_;

  bool is_closing_ = false;
  std::condition_variable closing_;
  std::thread clock_;
};

}  // namespace taut::server
