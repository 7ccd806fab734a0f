#include "recorders.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "taut/record/output.hpp"
#include "taut/record/surface_frames.hpp"
#include "writing.hpp"

namespace taut::cli {
namespace {

/// How many of `part` come closest to `whole`, at least one.
long count_of(double part, double whole) {
  constexpr double most = 1e15;
  return std::max(1L, std::lround(std::min(whole / part, most)));
}

}  // namespace

RecordingTimes plan_recording(double frame_rate, bool has_tables, RunOptions& options) {
  const double wanted = 1 / frame_rate;
  if (options.step > 0) {
    const double h = options.step;
    const long lines = options.record_every;
    long steps = count_of(h, wanted);
    if (has_tables && steps >= lines)
      steps = lines * count_of(static_cast<double>(lines), static_cast<double>(steps));
    options.record_every = has_tables ? std::gcd(lines, steps) : steps;
    return {static_cast<double>(lines) * h, static_cast<double>(steps) * h};
  }
  const double lines = options.record_interval;
  if (!has_tables) {
    options.record_interval = wanted;
    return {0, wanted};
  }
  if (wanted >= lines) return {lines, lines * static_cast<double>(count_of(lines, wanted))};
  options.record_interval = lines / static_cast<double>(count_of(wanted, lines));
  return {lines, options.record_interval};
}

struct Recorders::Impl {
  /// Whether a recording time is a whole number of intervals after the first.
  class Clock {
   public:
    explicit Clock(double interval) : interval_(interval) {}

    bool is_due(double time) {
      if (!start_) start_ = time;
      if (interval_ == 0) return true;
      const double turns = (time - *start_) / interval_;
      return std::abs(turns - std::round(turns)) < 1e-6;
    }

   private:
    double interval_;
    std::optional<double> start_;
  };

  Impl(const io::Scene& of, RecordingTimes at)
      : scene(of), table_clock(at.tables), frame_clock(at.frames), times(at) {}

  void record(const State& state) {
    is_line = table_clock.is_due(state.time);
    if (states) {
      if (is_line)
        states->record(state);
      else
        waiting = state;  // the last state goes to the tables, whenever it is
      has_waiting = !is_line;
    }
    if (!frame_clock.is_due(state.time)) return;
    if (frames)
      frames->write(state.time, [&](BodyId body) -> Vec3 {
        return state.q.segment<3>(scene.system.slot(body).q);
      });
    if (recording) recording->record(state);
    ++frame_count;
  }

  void record_forces(const State& state, const VecX& lambda) {
    if (is_line)
      reactions->record(state, lambda);
    else
      waiting_forces = {state, lambda};
    has_waiting_forces = !is_line;
  }

  void record_joints(double time, const std::vector<JointSample>& samples) {
    if (is_line)
      joints->record(time, samples);
    else
      waiting_joints = {time, samples};
    has_waiting_joints = !is_line;
  }

  void finish() {
    if (has_waiting) states->record(waiting);
    if (has_waiting_forces) reactions->record(waiting_forces.first, waiting_forces.second);
    if (has_waiting_joints) joints->record(waiting_joints.first, waiting_joints.second);
    if (states) states->finish();
    if (reactions) reactions->finish();
    if (joints) joints->finish();
    if (frames) frames->finish();
    if (recording) recording->finish();
  }

  const io::Scene& scene;
  std::optional<io::TrajectoryWriter> states;
  std::optional<io::ForceWriter> reactions;
  std::optional<io::JointWriter> joints;
  std::optional<io::SurfaceFrames> frames;
  std::optional<io::RecordingWriter> recording;
  Clock table_clock, frame_clock;
  RecordingTimes times;
  bool is_line = true;
  bool has_waiting = false, has_waiting_forces = false, has_waiting_joints = false;
  State waiting;
  std::pair<State, VecX> waiting_forces;
  std::pair<double, std::vector<JointSample>> waiting_joints;
  long frame_count = 0;
};

Recorders::Recorders(const io::Scene& scene, const RecordedFiles& files, RunOptions& options) {
  RecordingTimes times;
  if (files.has_motion()) times = plan_recording(files.frame_rate, files.has_tables(), options);
  impl_ = std::make_unique<Impl>(scene, times);
  Impl& to = *impl_;
  writing([&] {
    if (!files.trajectory.empty()) to.states.emplace(files.trajectory, scene.system);
    if (!files.forces.empty()) to.reactions.emplace(files.forces, scene.system);
    if (!files.joints.empty() && !scene.system.joints().empty())
      to.joints.emplace(files.joints, scene.system);
    if (!files.frames.empty()) to.frames.emplace(files.frames, files.frame_format, scene.surfaces);
    if (!files.recording.empty())
      to.recording.emplace(files.recording, scene, files.method, times.frames, files.positions);
  });
  if (to.states || to.reactions || to.joints || files.has_motion())
    options.record_states = [&to](const State& state) { writing([&] { to.record(state); }); };
  if (to.reactions)
    options.record = [&to](const State& state, const VecX& lambda) {
      writing([&] { to.record_forces(state, lambda); });
    };
  if (to.joints)
    options.record_joints = [&to](double time, const std::vector<JointSample>& samples) {
      writing([&] { to.record_joints(time, samples); });
    };
}

Recorders::~Recorders() = default;

RecordedMotion Recorders::finish() {
  writing([&] { impl_->finish(); });
  RecordedMotion motion{impl_->frame_count, impl_->times.frames, 0, 0};
  if (impl_->recording) {
    motion.file_size = impl_->recording->file_size();
    motion.frame_size = impl_->recording->frame_size();
  }
  return motion;
}

}  // namespace taut::cli
