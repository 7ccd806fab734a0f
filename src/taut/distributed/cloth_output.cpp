#include "taut/distributed/cloth_output.hpp"

#include <fmt/core.h>

#include <cmath>

#include "taut/base/error.hpp"
#include "taut/base/version.hpp"
#include "taut/cloth/cloth.hpp"
#include "taut/distributed/domain_internal.hpp"
#include "taut/distributed/gather_internal.hpp"
#include "taut/record/growing_file.hpp"
#include "taut/record/output.hpp"
#include "taut/record/recording_internal.hpp"
#include "taut/text/csv_word.hpp"
#include "taut/text/json.hpp"

namespace taut::distributed {
namespace {

using io::detail::FrameEncoding;
using io::detail::LittleEndianBytes;
using Place = std::array<double, 3>;
using PlaceAndVelocity = std::array<double, 6>;

constexpr int few = 1000;           // particles: as RecordingWriter
constexpr int most_names = 10'000;  // the same

std::string body_name(const io::ClothShare& cloth, int vertex) {
  return vertex_name(cloth.name, vertex, cloth.columns);
}

/// Calls visit(places) on the first process for one piece after the other.
template <class Visit>
void gather_places(const Domain& domain, const State& state, const Visit& visit) {
  std::vector<int> numbers;
  for (const int body : domain.owned_bodies()) numbers.push_back(domain.number(body));
  gather_in_order<Place>(
      domain.processes, numbers, domain.share.whole_bodies,
      [&](std::size_t i) {
        const Vec3 x = state.q.segment<3>(3 * domain.owned_bodies()[i]);
        return Place{x[0], x[1], x[2]};
      },
      visit);
}

}  // namespace

struct ClothRecording::Impl {
  Impl(std::filesystem::path path, const Processes& all, const io::SceneShare& of)
      : processes(all), share(of) {
    if (processes.is_first()) file = std::make_unique<io::GrowingFile>(std::move(path));
  }

  void put(LittleEndianBytes& bytes) {
    file->write(bytes.text());
    written += bytes.text().size();
    bytes.clear();
  }
  /// A chunk whose content follows, of this size.
  void begin_chunk(std::string_view kind, std::uint64_t size) {
    file->write(kind);
    buffer.add(std::uint32_t{0});
    buffer.add(size);
    put(buffer);
    chunk = size;
    written = 0;
  }
  void end_chunk() {
    TAUT_CHECK(written == chunk);
    file->write(std::string(io::detail::padded(chunk) - chunk, '\0'));
  }
  void write_chunk(std::string_view kind, const std::string& content) {
    begin_chunk(kind, content.size());
    file->write(content);
    written = content.size();
    end_chunk();
  }

  std::string header(double frame_interval) const;
  void write_surface(const io::ClothShare& cloth);
  void write_links();
  void write_float32(const Domain& domain, const State& state);
  void write_uint16(const Domain& domain, const State& state);

  const Processes& processes;
  const io::SceneShare& share;
  std::unique_ptr<io::GrowingFile> file;  // of the first process
  FrameEncoding encoding = FrameEncoding::float32;
  LittleEndianBytes buffer, index;
  std::uint64_t written = 0, chunk = 0;
  long frames = 0;
};

std::string ClothRecording::Impl::header(double frame_interval) const {
  io::Json json{{"taut", version},
                {"scene", share.scene.name},
                {"title", share.scene.title},
                {"method", "fast_projection"}};
  Vec3 gravity = Vec3::Zero();
  for (const auto& batch : share.scene.system.all_forces())
    gravity += batch->uniform_acceleration();
  std::vector<std::string> names;
  long pins = 0;
  io::Json surfaces = io::Json::array();
  for (const io::ClothShare& cloth : share.cloths) {
    for (int v = 0; share.whole_bodies <= most_names && v < cloth.whole_vertices; ++v)
      names.push_back(body_name(cloth, v));
    pins += static_cast<long>(cloth.pinned.size());
    surfaces.push_back(
        {{"name", cloth.name}, {"vertices", cloth.whole_vertices}, {"faces", cloth.whole_faces}});
  }
  std::vector<std::string> types;
  if (pins > 0) types.emplace_back("pin");
  json["units"] = {{"length", "m"}, {"time", "s"}};
  json["gravity"] = {gravity.x(), gravity.y(), gravity.z()};
  json["frame_interval"] = frame_interval;
  json["particles"] = {{"count", share.whole_bodies}, {"names", names}};
  json["rigid"] = std::vector<std::string>();
  json["surfaces"] = std::move(surfaces);
  json["links"] = {{"count", pins}, {"types", types}};
  json["visuals"] = io::Json::array();
  return json.dump();
}

void ClothRecording::Impl::write_surface(const io::ClothShare& cloth) {
  if (file) {
    begin_chunk("SURF", 8 + 4ull * static_cast<std::uint64_t>(cloth.whole_vertices) +
                            16ull * static_cast<std::uint64_t>(cloth.whole_faces));
    buffer.add(static_cast<std::uint32_t>(cloth.whole_vertices));
    buffer.add(static_cast<std::uint32_t>(cloth.whole_faces));
    put(buffer);
    for (int v = 0; v < cloth.whole_vertices; ++v) {
      buffer.add(static_cast<std::uint32_t>(cloth.first_body + v));
      if (v % 65536 == 0) put(buffer);
    }
    put(buffer);
  }
  // A face belongs to the owner of its first vertex.
  std::vector<int> mine, numbers;
  for (std::size_t f = 0; f < cloth.face.size(); ++f)
    if (cloth.owner[static_cast<std::size_t>(cloth.mesh.faces[f].vertex[0])] == processes.rank()) {
      mine.push_back(static_cast<int>(f));
      numbers.push_back(cloth.face[f]);
    }
  gather_in_order<std::array<int, 4>>(
      processes, numbers, cloth.whole_faces,
      [&](std::size_t i) {
        std::array<int, 4> vertex = cloth.mesh.faces[static_cast<std::size_t>(mine[i])].vertex;
        for (int& v : vertex)
          if (v >= 0) v = cloth.vertex[static_cast<std::size_t>(v)];
        return vertex;
      },
      [&](std::span<const std::array<int, 4>> faces) {
        for (const std::array<int, 4>& face : faces)
          for (const int v : face) buffer.add(static_cast<std::int32_t>(v));
        put(buffer);
      });
  if (file) end_chunk();
}

// Pins, each a link from a body to itself.
void ClothRecording::Impl::write_links() {
  for (const io::ClothShare& cloth : share.cloths)
    for (const int v : cloth.pinned) {
      for (int end = 0; end < 2; ++end) {
        buffer.add(static_cast<std::int32_t>(cloth.first_body + v));
        buffer.add_floats(Vec3::Zero());
      }
      buffer.add(std::uint32_t{0});
    }
  const std::string links = buffer.text();
  buffer.clear();
  if (!links.empty()) write_chunk("LINK", links);
}

ClothRecording::ClothRecording(std::filesystem::path path, const Processes& processes,
                               const io::SceneShare& share, double frame_interval,
                               io::RecordedPositions positions)
    : impl_(std::make_unique<Impl>(std::move(path), processes, share)) {
  const bool exact = positions == io::RecordedPositions::float32 ||
                     (positions == io::RecordedPositions::automatic && share.whole_bodies <= few);
  impl_->encoding = exact ? FrameEncoding::float32 : FrameEncoding::uint16;
  if (impl_->file) {
    impl_->file->write(io::detail::recording_magic);
    impl_->buffer.add(io::detail::recording_version);
    impl_->buffer.add(std::uint32_t{0});
    impl_->put(impl_->buffer);
    impl_->write_chunk("HEAD", impl_->header(frame_interval));
  }
  for (const io::ClothShare& cloth : share.cloths) impl_->write_surface(cloth);
  if (impl_->file) impl_->write_links();
}

ClothRecording::~ClothRecording() = default;

void ClothRecording::Impl::write_float32(const Domain& domain, const State& state) {
  gather_places(domain, state, [&](std::span<const Place> places) {
    for (const Place& place : places) buffer.add_floats(Vec3(place.data()));
    put(buffer);
  });
}

// First the boxes of all blocks, then the numbers: places are gathered twice. Pieces are whole
// blocks.
void ClothRecording::Impl::write_uint16(const Domain& domain, const State& state) {
  struct Box {
    Eigen::Vector3f low, step;
  };
  std::vector<Box> boxes;
  gather_places(domain, state, [&](std::span<const Place> places) {
    for (std::size_t first = 0; first < places.size(); first += io::detail::block_size) {
      const std::size_t end = std::min(first + io::detail::block_size, places.size());
      Vec3 low(places[first].data()), high = low;
      for (std::size_t i = first + 1; i < end; ++i) {
        low = low.cwiseMin(Vec3(places[i].data()));
        high = high.cwiseMax(Vec3(places[i].data()));
      }
      boxes.push_back({low.cast<float>(), ((high - low) / 65535).cast<float>()});
      buffer.add_floats(boxes.back().low.cast<double>());
      buffer.add_floats(boxes.back().step.cast<double>());
    }
    put(buffer);
  });
  std::size_t first = 0;
  gather_places(domain, state, [&](std::span<const Place> places) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Box& box = boxes[(first + i) / io::detail::block_size];
      for (int k = 0; k < 3; ++k) {
        const double step = box.step[k];
        const double n =
            step > 0 ? (places[i][static_cast<std::size_t>(k)] - box.low[k]) / step : 0;
        buffer.add(static_cast<std::uint16_t>(std::lround(std::clamp(n, 0.0, 65535.0))));
      }
    }
    first += places.size();
    put(buffer);
  });
}

void ClothRecording::record(const Domain& domain, const State& state) {
  Impl& to = *impl_;
  if (to.file) {
    to.index.add(to.file->size());
    to.index.add(state.time);
    to.begin_chunk("FRAM", io::detail::frame_payload(
                               static_cast<std::uint64_t>(to.share.whole_bodies), 0, to.encoding));
    to.buffer.add(state.time);
    to.buffer.add(static_cast<std::uint32_t>(to.encoding));
    to.buffer.add(std::uint32_t{0});
    to.put(to.buffer);
  }
  if (to.encoding == FrameEncoding::float32)
    to.write_float32(domain, state);
  else
    to.write_uint16(domain, state);
  ++to.frames;
  if (!to.file) return;
  to.end_chunk();
  to.file->end_record();
  to.file->flush();
}

void ClothRecording::finish() {
  if (!impl_->file) return;
  const std::uint64_t index_at = impl_->file->size();
  impl_->write_chunk("INDX", impl_->index.text());
  impl_->buffer.add(index_at);
  impl_->put(impl_->buffer);
  impl_->file->write(io::detail::recording_end);
  impl_->file->finish();
}

long ClothRecording::frames() const { return impl_->frames; }

struct ClothTrajectory::Impl {
  std::unique_ptr<io::GrowingFile> file;  // of the first process
};

ClothTrajectory::ClothTrajectory(std::filesystem::path path, const Processes& processes,
                                 const io::SceneShare& share)
    : impl_(std::make_unique<Impl>()) {
  if (!processes.is_first()) return;
  impl_->file = std::make_unique<io::GrowingFile>(std::move(path));
  impl_->file->write("time");
  for (const io::ClothShare& cloth : share.cloths)
    for (int v = 0; v < cloth.whole_vertices; ++v)
      for (const char* part : {"x", "y", "z", "vx", "vy", "vz"})
        impl_->file->write("," + io::csv_word(fmt::format("{}.{}", body_name(cloth, v), part)));
  impl_->file->write("\n");
}

ClothTrajectory::~ClothTrajectory() = default;

void ClothTrajectory::record(const Domain& domain, const State& state) {
  if (impl_->file) impl_->file->write(fmt::format("{}", state.time));
  std::vector<int> numbers;
  for (const int body : domain.owned_bodies()) numbers.push_back(domain.number(body));
  std::string line;
  gather_in_order<PlaceAndVelocity>(
      domain.processes, numbers, domain.share.whole_bodies,
      [&](std::size_t i) {
        PlaceAndVelocity both;
        for (std::size_t k = 0; k < 3; ++k) {
          const Eigen::Index at = 3 * domain.owned_bodies()[i] + static_cast<Eigen::Index>(k);
          both[k] = state.q[at];
          both[k + 3] = state.v[at];
        }
        return both;
      },
      [&](std::span<const PlaceAndVelocity> all) {
        line.clear();
        for (const PlaceAndVelocity& both : all)
          for (const double value : both) line += fmt::format(",{}", value);
        impl_->file->write(line);
      });
  if (!impl_->file) return;
  impl_->file->write("\n");
  impl_->file->end_record();
  impl_->file->flush();
}

void ClothTrajectory::finish() {
  if (impl_->file) impl_->file->finish();
}

std::string report_json(const io::SceneShare& share, const ClothRun& run) {
  io::Json json = io::report_object(share.scene, "fast_projection", run.report);
  json["processes"] = io::Json::array();
  for (const ProcessCost& cost : run.costs)
    json["processes"].push_back({{"bodies", cost.bodies},
                                 {"bodies_with_those_around", cost.all_bodies},
                                 {"rows", cost.rows},
                                 {"cpu_seconds", cost.cpu_seconds},
                                 {"wall_seconds", cost.wall_seconds},
                                 {"most_memory", cost.most_memory},
                                 {"neighbours", cost.neighbours},
                                 {"body_bytes", cost.body_bytes},
                                 {"body_messages", cost.body_messages},
                                 {"row_bytes", cost.row_bytes},
                                 {"row_messages", cost.row_messages},
                                 {"reductions", cost.reductions},
                                 {"row_iterations", cost.row_iterations}});
  return json.dump(2) + "\n";
}

}  // namespace taut::distributed
