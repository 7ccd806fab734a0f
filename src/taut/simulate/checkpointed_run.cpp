#include <cmath>

#include "taut/base/error.hpp"
#include "taut/methods/archive.hpp"
#include "taut/simulate/checkpoint.hpp"
#include "taut/simulate/checkpointed_run_internal.hpp"
#include "taut/simulate/run_loop_internal.hpp"

namespace taut {

void archive(Archive& a, JointSample::Moved& moved) { a(moved.value, moved.rate); }

void archive(Archive& a, JointSample& sample) {
  a(sample.coordinates, sample.force, sample.torque);
}

void archive(Archive& a, ContactSample& sample) {
  auto& [name_a, name_b, body_a, body_b, point, normal, gap, force, slip, torque] = sample;
  a(name_a, name_b, body_a.index, body_b.index, point, normal, gap, force, slip, torque);
}

void archive(Archive& a, StepEvent& event) {
  auto& [kind, time, amount, row] = event;
  a(kind, time, amount, row);
}

namespace detail {
namespace {

/// Hands over to recorders what a run records, and notes it.
class Journal {
 public:
  Journal(const System& system, const RunOptions& to, CheckpointStore& store)
      : system_(system), to_(to), store_(store) {}

  /// Options of a run that records through this.
  RunOptions options() {
    RunOptions through = to_;
    if (to_.record_states || to_.record)
      through.record_states = [this](const State& state) { states(state); };
    if (to_.record)
      through.record = [this](const State& state, const VecX& lambda) { forces(state, lambda); };
    if (to_.record_joints)
      through.record_joints = [this](double time, const std::vector<JointSample>& samples) {
        joints(time, samples);
      };
    if (to_.record_contacts)
      through.record_contacts = [this](double time, const std::vector<ContactSample>& samples) {
        contacts(time, samples);
      };
    if (to_.record_event)
      through.record_event = [this](const StepEvent& event) {
        note(Kind::event, event);
        to_.record_event(event);
      };
    return through;
  }

  /// Hands over all that was noted before.
  void hand_over_again() {
    for (std::string entry; store_.next(entry);) {
      Archive a(entry);
      Kind kind{};
      a(kind);
      double time = 0;
      switch (kind) {
        case Kind::state:
          a(state_);
          if (to_.record_states) to_.record_states(state_);
          break;
        case Kind::forces:
          a(lambda_);
          to_.record(state_, lambda_);
          break;
        case Kind::joints:
          a(time, joints_);
          for (std::size_t i = 0; i < joints_.size(); ++i) joints_[i].joint = &system_.joints()[i];
          to_.record_joints(time, joints_);
          break;
        case Kind::contacts:
          a(time, contacts_);
          to_.record_contacts(time, contacts_);
          break;
        case Kind::event: {
          StepEvent event;
          a(event);
          to_.record_event(event);
          break;
        }
      }
    }
  }

 private:
  enum class Kind : char { state, forces, joints, contacts, event };

  // Nothing is changed: an archive takes what it writes as what it reads.
  template <class... Each>
  void note(Kind kind, const Each&... each) {
    Archive a;
    a(kind, const_cast<Each&>(each)...);
    store_.add(a.take());
  }
  void states(const State& state) {
    note(Kind::state, state);
    if (to_.record_states) to_.record_states(state);
  }
  void forces(const State& state, const VecX& lambda) {
    note(Kind::forces, lambda);
    to_.record(state, lambda);
  }
  void joints(double time, const std::vector<JointSample>& samples) {
    note(Kind::joints, time, samples);
    to_.record_joints(time, samples);
  }
  void contacts(double time, const std::vector<ContactSample>& samples) {
    note(Kind::contacts, time, samples);
    to_.record_contacts(time, samples);
  }

  const System& system_;
  const RunOptions& to_;
  CheckpointStore& store_;
  // What is handed over again: who records puts the parts of a record together.
  State state_;
  VecX lambda_;
  std::vector<JointSample> joints_;
  std::vector<ContactSample> contacts_;
};

/// The end of the interval after the one that a run is in.
Run::Pause next_pause(const RunOptions& options, double start, double time, long steps) {
  Run::Pause pause;
  if (const double interval = options.checkpoint_interval; interval > 0) {
    constexpr double roundoff = 1e-9;
    const double done = std::floor((time - start) / interval + roundoff);
    pause.time = start + (done + 1 - roundoff) * interval;
  }
  if (const long every = options.checkpoint_steps; every > 0)
    pause.steps = (steps / every + 1) * every;
  return pause;
}

}  // namespace

void forget_contacts(const System& system) {
  for (const auto& source : system.contact_sources()) source->forget();
  if (system.sheets()) system.sheets()->forget();
}

RunReport simulate_with_checkpoints(const System& system, const State& start, Method& method,
                                    const RunOptions& options) {
  if (!(options.checkpoint_interval > 0) && options.checkpoint_steps < 1)
    throw Error("checkpoints need an interval > 0, of time or of steps");
  CheckpointStore& store = *options.checkpoints;
  Journal journal(system, options, store);
  const RunOptions through = journal.options();
  std::optional<Run> run;
  const auto go_on_from = [&](std::string_view bytes) {
    run.emplace(system, start, method, through);
    forget_contacts(system);
    Archive a(bytes);
    run->archive(a);
    if (!a.at_end()) throw Error("the checkpoint is of another run: there is more in it");
  };
  if (const std::string saved = store.saved(); !saved.empty()) {
    journal.hand_over_again();
    go_on_from(saved);
  } else {
    run.emplace(system, start, method, through);
    run->start();
  }
  while (run->go_on(next_pause(options, start.time, run->state().time, run->steps()))) {
    Archive a;
    run->archive(a);
    const std::string bytes = a.take();
    store.save(bytes);
    go_on_from(bytes);
  }
  return run->finish();
}

}  // namespace detail
}  // namespace taut
