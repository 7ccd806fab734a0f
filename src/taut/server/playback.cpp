#include "taut/server/playback.hpp"

#include <algorithm>

#include "taut/base/error.hpp"

namespace taut::server {

Playback::Playback(const std::string& path) : reader_(path) {
  if (reader_.frame_count() == 0) throw Error(path + ": found a recording without frames");
  auto frame = std::make_shared<Frame>();
  const io::RecordingInfo& info = reader_.info();
  frame->order =
      BodyOrder(static_cast<int>(info.particle_count), static_cast<int>(info.rigid_names.size()));
  frame_ = std::move(frame);
  first_ = reader_.time(0);
  last_ = reader_.time(reader_.frame_count() - 1);
  time_ = first_;
}

io::RecordedFrame Playback::first_frame() {
  io::RecordedFrame frame;
  const std::lock_guard lock(mutex_);
  reader_.read(0, frame);
  return frame;
}

void Playback::set_goal(double time) { time_ = std::clamp(time, first_, last_); }

double Playback::step() const {
  const double interval = info().frame_interval;
  if (interval > 0) return interval;
  return reader_.frame_count() > 1
             ? (last_ - first_) / static_cast<double>(reader_.frame_count() - 1)
             : 1e-3;
}

std::size_t Playback::index_of(double time) const {
  std::size_t low = 0,
              high = reader_.frame_count();  // the last frame not after it is in [low, high)
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (reader_.time(middle) <= time * (1 + 1e-12) ? low : high) = middle;
  }
  return low;
}

SnapshotPointer Playback::read(std::size_t index) const {
  io::RecordedFrame frame;
  reader_.read(index, frame);
  auto shot = std::make_shared<Snapshot>();
  shot->frame = frame_;
  shot->generation = 1;
  shot->version = index + 1;
  shot->index = index;
  shot->state.time = frame.time;
  const std::size_t particles = frame_->order.particles.size();
  shot->state.q.resize(static_cast<Eigen::Index>(3 * particles + 7 * frame.orientations.size()));
  double* out = shot->state.q.data();
  for (std::size_t i = 0; i < frame.positions.size(); ++i) {
    for (int k = 0; k < 3; ++k) *out++ = static_cast<double>(frame.positions[i][k]);
    if (i < particles) continue;
    const Eigen::Quaternionf& q = frame.orientations[i - particles];
    for (const float part : {q.w(), q.x(), q.y(), q.z()}) *out++ = static_cast<double>(part);
  }
  shot->inputs = std::move(frame.inputs);
  shot->has_contacts = true;
  for (const io::RecordedContact& from : frame.contacts) {
    ContactSample contact;
    contact.body_a = {from.a};
    contact.body_b = {from.b};
    contact.point = from.point.cast<double>();
    contact.normal = from.normal.cast<double>();
    contact.force = from.force.cast<double>();
    contact.slip = from.slip.cast<double>();
    contact.gap = static_cast<double>(from.gap);
    shot->contacts.push_back(std::move(contact));
  }
  return shot;
}

SnapshotPointer Playback::newest() const {
  const std::lock_guard lock(mutex_);
  const std::size_t index = index_of(time_);
  if (!newest_ || newest_->index != index) newest_ = read(index);
  return newest_;
}

RunState Playback::state() const {
  RunState state;
  state.time = time_;
  const std::lock_guard lock(mutex_);
  state.steps = index_of(time_);
  if (is_over()) state.status = "ended";
  if (!reader_.is_complete()) state.reason = "the recording was not finished";
  return state;
}

History::Range Playback::recorded() const { return {reader_.frame_count(), first_, last_}; }

std::vector<double> Playback::recorded_times() const {
  std::vector<double> times;
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < reader_.frame_count(); ++i) times.push_back(reader_.time(i));
  return times;
}

std::optional<std::size_t> Playback::find_recorded(double time) const {
  const std::lock_guard lock(mutex_);
  return index_of(time);
}

SnapshotPointer Playback::recorded_at(std::size_t index) const {
  const std::lock_guard lock(mutex_);
  return index < reader_.frame_count() ? read(index) : nullptr;
}

void Playback::rewind(double time) { set_goal(time); }

}  // namespace taut::server
