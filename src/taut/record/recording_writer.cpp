#include <algorithm>
#include <cmath>
#include <utility>

#include "taut/record/growing_file.hpp"
#include "taut/record/recording.hpp"
#include "taut/record/recording_internal.hpp"

namespace taut::io {

using namespace detail;

struct RecordingWriter::Impl {
  Impl(std::filesystem::path path, const Scene& of) : file(std::move(path)), system(of.system) {}

  void write(std::string_view bytes) { file.write(bytes); }

  void write_chunk(std::string_view kind, const std::string& payload) {
    LittleEndianBytes head;
    head.add(std::uint32_t{0});
    head.add(static_cast<std::uint64_t>(payload.size()));
    write(kind);
    write(head.text());
    write(payload);
    write(std::string(padded(payload.size()) - payload.size(), '\0'));
  }

  void write_surface(const Surface& surface) {
    buffer.clear();
    buffer.add(static_cast<std::uint32_t>(surface.vertices.size()));
    buffer.add(static_cast<std::uint32_t>(surface.faces.size()));
    for (const BodyId vertex : surface.vertices)
      buffer.add(static_cast<std::uint32_t>(vertex.index));
    for (const Face& face : surface.faces)
      for (const int vertex : face.vertex) buffer.add(static_cast<std::int32_t>(vertex));
    write_chunk("SURF", buffer.text());
  }

  void write_links(const RecordingInfo& info) {
    buffer.clear();
    for (const RecordingInfo::Link& link : info.links) {
      for (const Point& end : {link.a, link.b}) {
        buffer.add(static_cast<std::int32_t>(end.body.index));
        buffer.add_floats(end.local);
      }
      buffer.add(link.type);
    }
    if (!info.links.empty()) write_chunk("LINK", buffer.text());
  }

  int number(BodyId body) const {
    return body.is_world() ? -1 : recorded_number[static_cast<std::size_t>(body.index)];
  }

  void write_contacts(const std::vector<ContactSample>& contacts) {
    if (contacts.empty()) return;
    buffer.clear();
    for (const ContactSample& contact : contacts) {
      buffer.add(static_cast<std::int32_t>(number(contact.body_a)));
      buffer.add(static_cast<std::int32_t>(number(contact.body_b)));
      for (const Vec3& vector : {contact.point, contact.normal, contact.force, contact.slip})
        buffer.add_floats(vector);
      buffer.add_float(contact.gap);
    }
    write_chunk("CONT", buffer.text());
    const auto resists = [](const ContactSample& contact) { return !contact.torque.isZero(0); };
    if (std::none_of(contacts.begin(), contacts.end(), resists)) return;
    buffer.clear();
    for (const ContactSample& contact : contacts) buffer.add_floats(contact.torque);
    write_chunk("TORQ", buffer.text());
  }

  void write_inputs(const std::vector<double>& values) {
    if (values.empty()) return;
    buffer.clear();
    for (const double value : values) buffer.add(value);
    write_chunk("INPT", buffer.text());
  }

  void add_rigid(const State& state) {
    for (const int q : rigid_q) {
      buffer.add_floats(state.q.segment<3>(q));
      for (int k = 3; k < 7; ++k) buffer.add_float(state.q[q + k]);
    }
  }

  void add_float32(const State& state) {
    for (const int q : particle_q) buffer.add_floats(state.q.segment<3>(q));
  }

  // x ≈ low + step·n with n from 0 to 65535, per axis, low and step of a block of particles.
  void add_uint16(const State& state) {
    boxes.clear();
    for (std::size_t first = 0; first < particle_q.size(); first += block_size) {
      const std::size_t end = std::min(first + block_size, particle_q.size());
      Vec3 low = state.q.segment<3>(particle_q[first]), high = low;
      for (std::size_t i = first + 1; i < end; ++i) {
        low = low.cwiseMin(state.q.segment<3>(particle_q[i]));
        high = high.cwiseMax(state.q.segment<3>(particle_q[i]));
      }
      // What the reader will have of them: the rounding must not add up.
      boxes.push_back({low.cast<float>(), ((high - low) / 65535).cast<float>()});
      buffer.add_floats(boxes.back().low.cast<double>());
      buffer.add_floats(boxes.back().step.cast<double>());
    }
    for (std::size_t i = 0; i < particle_q.size(); ++i) {
      const Box& box = boxes[i / block_size];
      for (int k = 0; k < 3; ++k) {
        const double step = box.step[k];
        const double n = step > 0 ? (state.q[particle_q[i] + k] - box.low[k]) / step : 0;
        buffer.add(static_cast<std::uint16_t>(std::lround(std::clamp(n, 0.0, 65535.0))));
      }
    }
  }

  struct Box {
    Eigen::Vector3f low, step;
  };

  GrowingFile file;
  const System& system;
  std::vector<int> particle_q, rigid_q;  // where in q each recorded body is
  std::vector<int> recorded_number;      // per body of the system
  FrameEncoding encoding = FrameEncoding::float32;
  LittleEndianBytes buffer, index;
  std::vector<Box> boxes;
  std::uint64_t frames = 0, frame_size = 0;
};

RecordingWriter::RecordingWriter(std::filesystem::path path, const Scene& scene, std::string method,
                                 double frame_interval, RecordedPositions positions)
    : impl_(std::make_unique<Impl>(std::move(path), scene)) {
  constexpr std::size_t few = 1000;  // particles: exactness costs nothing worth speaking of
  impl_->recorded_number = recorded_numbers(scene.system);
  for (const BodySlot& slot : scene.system.slots())
    (slot.rigid < 0 ? impl_->particle_q : impl_->rigid_q).push_back(slot.q);
  const bool exact = positions == RecordedPositions::float32 ||
                     (positions == RecordedPositions::automatic && impl_->particle_q.size() <= few);
  impl_->encoding = exact ? FrameEncoding::float32 : FrameEncoding::uint16;

  RecordingInfo info = recording_info(scene, impl_->recorded_number);
  info.method = std::move(method);
  info.frame_interval = frame_interval;
  impl_->write(recording_magic);
  impl_->buffer.add(recording_version);
  impl_->buffer.add(std::uint32_t{0});
  impl_->write(impl_->buffer.text());
  impl_->write_chunk("HEAD", header_json(info));
  for (const Surface& surface : info.surfaces) impl_->write_surface(surface);
  impl_->write_links(info);
}

RecordingWriter::~RecordingWriter() = default;

void RecordingWriter::record(const State& state, const std::vector<ContactSample>& contacts,
                             const std::vector<double>& inputs) {
  LittleEndianBytes& buffer = impl_->buffer;
  buffer.clear();
  buffer.add(state.time);
  buffer.add(static_cast<std::uint32_t>(impl_->encoding));
  buffer.add(std::uint32_t{0});
  impl_->add_rigid(state);
  if (impl_->encoding == FrameEncoding::float32)
    impl_->add_float32(state);
  else
    impl_->add_uint16(state);
  impl_->index.add(impl_->file.size());
  impl_->index.add(state.time);
  impl_->frame_size = chunk_head_size + padded(buffer.text().size());
  impl_->write_chunk("FRAM", buffer.text());
  impl_->write_contacts(contacts);
  impl_->write_inputs(inputs.empty() ? impl_->system.inputs().values() : inputs);
  impl_->file.end_record();
  ++impl_->frames;
}

void RecordingWriter::flush() { impl_->file.flush(); }

void RecordingWriter::finish() {
  const std::uint64_t index_at = impl_->file.size();
  impl_->write_chunk("INDX", impl_->index.text());
  impl_->buffer.clear();
  impl_->buffer.add(index_at);
  impl_->write(impl_->buffer.text());
  impl_->write(recording_end);
  impl_->file.finish();
}

std::uint64_t RecordingWriter::frame_count() const { return impl_->frames; }
std::uint64_t RecordingWriter::file_size() const { return impl_->file.size(); }
std::filesystem::path RecordingWriter::place() const { return impl_->file.place(); }
std::uint64_t RecordingWriter::frame_size() const { return impl_->frame_size; }

}  // namespace taut::io
