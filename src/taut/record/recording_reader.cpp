#include <fmt/core.h>

#include <cerrno>
#include <cmath>
#include <cstdio>

#include "taut/base/error.hpp"
#include "taut/record/growing_file.hpp"
#include "taut/record/recording.hpp"
#include "taut/record/recording_internal.hpp"
#include "taut/text/at.hpp"
#include "taut/text/json_text.hpp"

namespace taut::io {

using namespace detail;

struct RecordingReader::Impl {
  explicit Impl(std::filesystem::path of)
      : path(std::move(of)), file(std::fopen(path.c_str(), "rb"), &std::fclose) {
    std::error_code no_throw;
    if (!file) {
      const std::string reason = std::strerror(errno);
      const std::filesystem::path partial = GrowingFile::partial_name(path);
      fail(std::filesystem::exists(partial, no_throw)
               ? fmt::format("cannot be read: {}; an unfinished recording is in {}", reason,
                             shown_file(partial.string()))
               : fmt::format("cannot be read: {}", reason));
    }
    if (!std::filesystem::is_regular_file(path, no_throw))
      fail("found something that is not a file, expected a recording");
    size = std::filesystem::file_size(path, no_throw);
  }

  struct Chunk {
    std::string kind;
    std::uint64_t at = 0, payload = 0;  // its offset; how many bytes it holds
    std::uint64_t end() const { return at + chunk_head_size + padded(payload); }
  };
  struct FrameEntry {
    std::uint64_t at = 0;
    double time = 0;
  };

  std::string read(std::uint64_t at, std::uint64_t count) {
    TAUT_CHECK(at + count <= size);  // so that no more memory is asked for than there are bytes
    std::string bytes(count, '\0');
    if (::fseeko(file.get(), static_cast<off_t>(at), SEEK_SET) != 0 ||
        std::fread(bytes.data(), 1, count, file.get()) != count)
      fail("cannot be read: it changed meanwhile, or the disk fails");
    return bytes;
  }

  /// The chunk at an offset; none when the file ends before the chunk does.
  std::optional<Chunk> chunk(std::uint64_t at) {
    if (at > size || size - at < chunk_head_size) return std::nullopt;
    const std::string head = read(at, chunk_head_size);
    const Chunk found{head.substr(0, 4), at, little_endian<std::uint64_t>(head.data() + 8)};
    const std::uint64_t left = size - at - chunk_head_size;
    if (found.payload > left || padded(found.payload) > left) return std::nullopt;
    return found;
  }
  std::string payload(const Chunk& chunk) {
    return read(chunk.at + chunk_head_size, chunk.payload);
  }

  void read_preamble() {
    if (size < preamble_size || !read(0, preamble_size).starts_with(recording_magic))
      fail("found no recording of taut, expected a file that taut run --recording wrote");
    const auto version = little_endian<std::uint32_t>(read(8, 4).data());
    if (version != recording_version)
      fail(fmt::format("found version {} of the format, expected {}", version, recording_version));
  }

  void read_head() {
    const std::optional<Chunk> head = chunk(preamble_size);
    if (!head || head->kind != "HEAD" || head->payload > largest_file)
      fail_at(preamble_size, "HEAD");
    RecordingHeader header;
    try {
      header = parse_header(payload(*head));
    } catch (const Error& error) {
      fail(fmt::format("byte {}: found {}", head->at, error.what()));
    }
    info = std::move(header.info);
    std::uint64_t at = head->end();
    for (std::size_t s = 0; s < info.surfaces.size(); ++s) {
      const std::optional<Chunk> next = chunk(at);
      const std::uint64_t vertices = header.vertex_counts[s], faces = header.face_counts[s];
      if (!next || next->kind != "SURF" || next->payload != 8 + 4 * vertices + 16 * faces)
        fail_at(at, "SURF");
      read_surface(*next, vertices, faces, info.surfaces[s]);
      at = next->end();
    }
    if (const std::optional<Chunk> next = chunk(at); next && next->kind == "LINK") {
      read_links(*next);
      at = next->end();
    }
    first_frame = at;
  }

  void read_surface(const Chunk& from, std::uint64_t vertices, std::uint64_t faces, Surface& to) {
    const std::string bytes = payload(from);
    const char* next = bytes.data() + 8;
    for (std::uint64_t i = 0; i < vertices; ++i, next += 4) {
      const auto body = little_endian<std::uint32_t>(next);
      if (body >= info.body_count()) fail_at(from.at, "vertices that are bodies");
      to.vertices.push_back({static_cast<int>(body)});
    }
    for (std::uint64_t i = 0; i < faces; ++i) {
      Face face;
      for (std::size_t k = 0; k < 4; ++k, next += 4) {
        face.vertex[k] = little_endian<std::int32_t>(next);
        const bool is_none = k == 3 && face.vertex[k] == -1;
        if (!is_none &&
            (face.vertex[k] < 0 || static_cast<std::uint64_t>(face.vertex[k]) >= vertices))
          fail_at(from.at, "faces of the surface's vertices");
      }
      to.faces.push_back(face);
    }
  }

  void read_links(const Chunk& from) {
    if (from.payload % link_size != 0) fail_at(from.at, "LINK");
    const std::string bytes = payload(from);
    for (const char* next = bytes.data(); next != bytes.data() + bytes.size();) {
      RecordingInfo::Link link;
      for (Point* end : {&link.a, &link.b}) {
        end->body.index = little_endian<std::int32_t>(next);
        end->local = vector(next + 4).cast<double>();
        next += 16;
        if (end->body.index < -1 || end->body.index >= static_cast<std::int64_t>(info.body_count()))
          fail_at(from.at, "links of bodies");
      }
      link.type = little_endian<std::uint32_t>(next);
      next += 4;
      if (link.type >= info.link_types.size()) fail_at(from.at, "links of a known type");
      info.links.push_back(link);
    }
  }

  /// From the index at the end. False when there is none: then the writer did not come so far.
  bool read_index() {
    if (size < first_frame + trailer_size) return false;
    const std::string trailer = read(size - trailer_size, trailer_size);
    if (!trailer.ends_with(recording_end)) return false;
    const auto at = little_endian<std::uint64_t>(trailer.data());
    const std::optional<Chunk> index = chunk(at);
    if (!index || index->kind != "INDX" || index->payload % index_entry_size != 0)
      fail_at(at, "INDX");
    const std::string bytes = payload(*index);
    for (std::size_t i = 0; i < bytes.size(); i += index_entry_size) {
      frames.push_back({little_endian<std::uint64_t>(bytes.data() + i),
                        little_endian<double>(bytes.data() + i + 8)});
      if (frames.back().at < first_frame || frames.back().at >= at) fail_at(at, "INDX");
    }
    return true;
  }

  void scan_frames() {
    for (std::uint64_t at = first_frame;;) {
      const std::optional<Chunk> next = chunk(at);
      if (!next) return;
      if (next->kind == "FRAM") {
        if (next->payload < frame_head_size) fail_at(at, "FRAM");
        frames.push_back({at, little_endian<double>(read(at + chunk_head_size, 8).data())});
      }
      at = next->end();
    }
  }

  void read_frame(std::size_t number, RecordedFrame& out) {
    const std::uint64_t at = frames[number].at;
    const std::optional<Chunk> found = chunk(at);
    if (!found || found->kind != "FRAM" || found->payload < frame_head_size) fail_at(at, "FRAM");
    const std::string bytes = payload(*found);
    const auto encoding = little_endian<std::uint32_t>(bytes.data() + 8);
    const std::size_t particles = info.particle_count, rigid = info.rigid_names.size();
    if (encoding > 1 ||
        bytes.size() != frame_payload(particles, rigid, static_cast<FrameEncoding>(encoding)))
      fail_at(at, fmt::format("a frame of {} bodies", info.body_count()));
    out.time = little_endian<double>(bytes.data());
    out.positions.resize(particles + rigid);
    out.orientations.resize(rigid);
    const char* next = bytes.data() + frame_head_size;
    for (std::size_t i = 0; i < rigid; ++i, next += rigid_size) {
      out.positions[particles + i] = vector(next);
      out.orientations[i] = {little_endian<float>(next + 12), little_endian<float>(next + 16),
                             little_endian<float>(next + 20), little_endian<float>(next + 24)};
    }
    read_contacts(found->end(), out.contacts);
    read_inputs(found->end(), out.inputs);
    if (encoding == 0) {
      for (std::size_t i = 0; i < particles; ++i) out.positions[i] = vector(next + 12 * i);
      return;
    }
    const char* numbers = next + box_size * block_count(particles);
    for (std::size_t i = 0; i < particles; ++i, numbers += 6) {
      const char* box = next + box_size * (i / block_size);
      const Eigen::Vector3f low = vector(box), step = vector(box + 12);
      for (int k = 0; k < 3; ++k)
        out.positions[i][k] =
            low[k] + step[k] * static_cast<float>(little_endian<std::uint16_t>(numbers + 2 * k));
    }
  }

  /// Those of the frame that ends there.
  void read_contacts(std::uint64_t at, std::vector<RecordedContact>& out) {
    out.clear();
    const std::optional<Chunk> found = chunk(at);
    if (!found || found->kind != "CONT") return;
    if (found->payload % contact_size != 0) fail_at(at, "CONT");
    const std::string bytes = payload(*found);
    for (const char* next = bytes.data(); next != bytes.data() + bytes.size();
         next += contact_size) {
      RecordedContact& contact = out.emplace_back();
      contact.a = little_endian<std::int32_t>(next);
      contact.b = little_endian<std::int32_t>(next + 4);
      for (const int body : {contact.a, contact.b})
        if (body < -1 || body >= static_cast<std::int64_t>(info.body_count()))
          fail_at(at, "contacts of bodies");
      contact.point = vector(next + 8);
      contact.normal = vector(next + 20);
      contact.force = vector(next + 32);
      contact.slip = vector(next + 44);
      contact.gap = little_endian<float>(next + 56);
    }
    read_torques(found->end(), out);
  }

  /// Behind the contacts of the frame that ends there.
  void read_inputs(std::uint64_t at, std::vector<double>& out) {
    out.clear();
    std::optional<Chunk> found = chunk(at);
    while (found && (found->kind == "CONT" || found->kind == "TORQ")) found = chunk(found->end());
    if (!found || found->kind != "INPT") return;
    if (found->payload != 8 * info.inputs.size()) fail_at(at, "INPT");
    const std::string bytes = payload(*found);
    for (std::size_t i = 0; i < info.inputs.size(); ++i)
      out.push_back(little_endian<double>(bytes.data() + 8 * i));
  }

  /// Of the contacts that end there, if they have any.
  void read_torques(std::uint64_t at, std::vector<RecordedContact>& contacts) {
    const std::optional<Chunk> found = chunk(at);
    if (!found || found->kind != "TORQ") return;
    if (found->payload != torque_size * contacts.size()) fail_at(at, "TORQ");
    const std::string bytes = payload(*found);
    for (std::size_t i = 0; i < contacts.size(); ++i)
      contacts[i].torque = vector(bytes.data() + torque_size * i);
  }

  static Eigen::Vector3f vector(const char* bytes) {
    return {little_endian<float>(bytes), little_endian<float>(bytes + 4),
            little_endian<float>(bytes + 8)};
  }

  [[noreturn]] void fail(std::string_view message) const {
    throw Error(fmt::format("{}: {}", shown_file(path.string()), message));
  }
  [[noreturn]] void fail_at(std::uint64_t at, std::string_view expected) const {
    fail(at >= size ? fmt::format("found the end of the file, expected {}", expected)
                    : fmt::format("byte {}: found something else, expected {}", at, expected));
  }

  std::filesystem::path path;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file;
  std::uint64_t size = 0, first_frame = 0;
  RecordingInfo info;
  std::vector<FrameEntry> frames;
  bool is_complete = false;
};

RecordingReader::RecordingReader(std::filesystem::path path)
    : impl_(std::make_unique<Impl>(std::move(path))) {
  impl_->read_preamble();
  impl_->read_head();
  impl_->is_complete = impl_->read_index();
  if (!impl_->is_complete) impl_->scan_frames();
}

RecordingReader::~RecordingReader() = default;
RecordingReader::RecordingReader(RecordingReader&&) noexcept = default;

const RecordingInfo& RecordingReader::info() const { return impl_->info; }
std::size_t RecordingReader::frame_count() const { return impl_->frames.size(); }
double RecordingReader::time(std::size_t frame) const { return impl_->frames.at(frame).time; }
void RecordingReader::read(std::size_t frame, RecordedFrame& out) {
  TAUT_CHECK(frame < frame_count());
  impl_->read_frame(frame, out);
}
bool RecordingReader::is_complete() const { return impl_->is_complete; }
std::uint64_t RecordingReader::file_size() const { return impl_->size; }

}  // namespace taut::io
