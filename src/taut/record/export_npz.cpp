// NumPy's .npz: an archive of arrays (.npy), one for each quantity, the frames along the first axis.
#include <fmt/core.h>

#include <deque>

#include "taut/record/drawing.hpp"
#include "taut/record/export.hpp"
#include "taut/record/recording_internal.hpp"
#include "taut/record/zip_file.hpp"
#include "taut/text/json.hpp"

namespace taut::io {
namespace {

using detail::LittleEndianBytes;

/// One array, which grows along its first axis. NumPy's format 1.0 or, with long headers, 2.0 does
/// not matter here: the header is short.
class NpyArray {
 public:
  /// `type` as NumPy has it: "<f8"; `shape`: of one entry, "3, " or "".
  NpyArray(const std::filesystem::path& path, std::string name, std::string type, std::string shape)
      : content(path), name_(std::move(name)), type_(std::move(type)), shape_(std::move(shape)) {}

  template <class T>
  void add(T value) {
    bytes_.clear();
    bytes_.add(value);
    content.write(bytes_.text());
  }
  void add_to(ZipFile& zip, std::size_t count) {
    std::string head = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},{}), }}",
                                   type_, count, shape_);
    constexpr std::size_t preamble = 10, alignment = 64;
    head.append((alignment - (preamble + head.size() + 1) % alignment) % alignment, ' ');
    head += '\n';
    LittleEndianBytes size;
    size.add(static_cast<std::uint16_t>(head.size()));
    zip.add(name_ + ".npy", "\x93NUMPY\x01" + std::string(1, '\0') + size.text() + head, content);
  }

  Spool content;

 private:
  std::string name_, type_, shape_;
  LittleEndianBytes bytes_;
};

/// The characters of UTF-8.
std::u32string characters(const std::string& utf8) {
  std::u32string out;
  for (const char byte : valid_utf8(utf8)) {
    const auto c = static_cast<unsigned char>(byte);
    if ((c & 0xC0) == 0x80)
      out.back() = out.back() << 6 | (c & 0x3F);
    else
      out += c < 0x80 ? c : c < 0xE0 ? c & 0x1F : c < 0xF0 ? c & 0x0F : c & 0x07;
  }
  return out;
}

class NpzExport final : public ExportWriter {
 public:
  explicit NpzExport(const ExportTarget& target)
      : target_(target), info_(target.info), real_(target.is_single ? "<f4" : "<f8") {
    times_ = array("times", "<f8", "");
    positions_ = array("positions", real_, fmt::format(" {}, 3", info_.body_count()));
    const std::size_t rigid = info_.rigid_names.size();
    quaternions_ = array("quaternions", real_, fmt::format(" {}, 4", rigid));
    if (target.has_velocities) {
      velocities_ = array("velocities", real_, fmt::format(" {}, 3", info_.body_count()));
      turning_ = array("angular_velocities", real_, fmt::format(" {}, 3", rigid));
    }
    contact_frames_ = array("contact_frames", "<i4", "");
    contact_bodies_ = array("contact_bodies", "<i4", " 2");
    contact_points_ = array("contact_points", "<f4", " 3");
    contact_forces_ = array("contact_forces", "<f4", " 3");
  }

  void record(const ExportFrame& frame) override {
    times_->add(frame.time);
    add(*positions_, frame.positions);
    for (const Quat& q : frame.orientations)
      for (const double x : {q.w(), q.x(), q.y(), q.z()}) add(*quaternions_, x);
    if (velocities_) add(*velocities_, frame.velocities);
    if (turning_) add(*turning_, frame.angular_velocities);
    for (const RecordedContact& contact : frame.contacts) {
      contact_frames_->add(static_cast<std::int32_t>(frames_));
      contact_bodies_->add(static_cast<std::int32_t>(contact.a));
      contact_bodies_->add(static_cast<std::int32_t>(contact.b));
      for (const float x : contact.point) contact_points_->add(x);
      for (const float x : contact.force) contact_forces_->add(x);
      ++contacts_;
    }
    ++frames_;
  }

  void finish() override {
    ZipFile zip(target_.path);
    for (NpyArray* each : {times_, positions_, quaternions_, velocities_, turning_})
      if (each) each->add_to(zip, frames_);
    for (NpyArray* each : {contact_frames_, contact_bodies_, contact_points_, contact_forces_})
      each->add_to(zip, contacts_);
    add_names(zip);
    for (std::size_t s = 0; s < info_.surfaces.size(); ++s) add_surface(zip, s);
    zip.finish();
  }

  std::string details() const override { return fmt::format("{} bodies", info_.body_count()); }

 private:
  NpyArray* array(std::string name, std::string type, std::string shape) {
    return &arrays_.emplace_back(target_.path, std::move(name), std::move(type), std::move(shape));
  }
  void add(NpyArray& to, double value) {
    if (target_.is_single)
      to.add(static_cast<float>(value));
    else
      to.add(value);
  }
  void add(NpyArray& to, const std::vector<Vec3>& vectors) {
    for (const Vec3& vector : vectors)
      for (const double x : vector) add(to, x);
  }

  /// All as long as the longest, padded with 0; NumPy has no text of length 0.
  void add_names(ZipFile& zip) {
    std::vector<std::u32string> names;
    std::size_t longest = 1;
    for (std::uint32_t i = 0; i < info_.body_count(); ++i) {
      names.push_back(characters(body_name(info_, static_cast<int>(i))));
      longest = std::max(longest, names.back().size());
    }
    NpyArray texts(target_.path, "names", fmt::format("<U{}", longest), "");
    for (std::u32string& name : names) {
      name.resize(longest);
      for (const char32_t c : name) texts.add(static_cast<std::uint32_t>(c));
    }
    texts.add_to(zip, names.size());
  }

  /// The bodies that are the vertices of a cloth, and its faces; −1 ends a triangle.
  void add_surface(ZipFile& zip, std::size_t number) {
    const Surface& surface = info_.surfaces[number];
    NpyArray vertices(target_.path, fmt::format("surface{}_vertices", number), "<i4", "");
    for (const BodyId vertex : surface.vertices)
      vertices.add(static_cast<std::int32_t>(vertex.index));
    vertices.add_to(zip, surface.vertices.size());
    NpyArray faces(target_.path, fmt::format("surface{}_faces", number), "<i4", " 4");
    for (const Face& face : surface.faces)
      for (const int vertex : face.vertex) faces.add(static_cast<std::int32_t>(vertex));
    faces.add_to(zip, surface.faces.size());
  }

  ExportTarget target_;
  const RecordingInfo& info_;
  const std::string real_;
  std::deque<NpyArray> arrays_;
  NpyArray *times_ = nullptr, *positions_ = nullptr, *quaternions_ = nullptr,
           *velocities_ = nullptr, *turning_ = nullptr, *contact_frames_ = nullptr,
           *contact_bodies_ = nullptr, *contact_points_ = nullptr, *contact_forces_ = nullptr;
  std::size_t frames_ = 0, contacts_ = 0;
};

}  // namespace

ExportFormat describe_npz_export() {
  return {.name = "npz",
          .extensions = {".npz"},
          .summary = "NumPy arrays: times, positions, quaternions, velocities, contacts, names",
          .takes_nan = true,
          .make = [](const ExportFormat&,
                     const ExportTarget& target) -> std::unique_ptr<ExportWriter> {
            return std::make_unique<NpzExport>(target);
          }};
}

}  // namespace taut::io
