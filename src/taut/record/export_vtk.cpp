// VTK, for ParaView: a collection of frames (.pvd), and for each frame three files of polygons
// (.vtp): what is drawn, the bodies as points with what is known of them, and the contacts.
#include <fmt/core.h>

#include <cstdint>
#include <iterator>

#include "taut/base/markup.hpp"
#include "taut/record/drawing.hpp"
#include "taut/record/export.hpp"
#include "taut/record/recording_internal.hpp"
#include "taut/record/run_writer.hpp"
#include "taut/record/skin.hpp"
#include "taut/text/json.hpp"
#include "taut/text/whole_file.hpp"

namespace taut::io {
namespace {

using detail::LittleEndianBytes;

/// RFC 4648.
std::string base64(std::string_view bytes) {
  static constexpr char letters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= count ? letters[word >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

/// A file of polygons, whose elements are written in the order that VTK wants.
class PolyData {
 public:
  struct Counts {
    std::size_t points = 0, vertices = 0, polygons = 0;
  };
  PolyData(const std::filesystem::path& path, double time, Counts counts) : file_(path) {
    text_ = fmt::format(
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">\n<PolyData>\n<FieldData>\n"
        "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{}"
        "</DataArray>\n</FieldData>\n"
        "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\" "
        "NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n",
        time, counts.points, counts.vertices, counts.polygons);
  }
  void open(std::string_view element) { text_ += fmt::format("<{}>\n", element); }
  void close(std::string_view element) { text_ += fmt::format("</{}>\n", element); }

  template <class T>
  void array(std::string_view name, std::string_view type, int components,
             const std::vector<T>& values) {
    LittleEndianBytes bytes;
    bytes.add(static_cast<std::uint64_t>(sizeof(T) * values.size()));
    for (const T value : values) bytes.add(value);
    text_ += fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"binary\">{}"
        "</DataArray>\n",
        type, name, components, base64(bytes.text()));
  }
  void array(std::string_view name, int components, const std::vector<float>& values) {
    array(name, "Float32", components, values);
  }
  void array(std::string_view name, int components, const std::vector<double>& values) {
    array(name, "Float64", components, values);
  }
  void array(std::string_view name, int components, const std::vector<std::int32_t>& values) {
    array(name, "Int32", components, values);
  }
  void points(const std::vector<double>& places) {
    open("Points");
    array("Points", 3, places);
    close("Points");
  }
  /// Cells with these numbers of points, one after another.
  void cells(std::string_view kind, const std::vector<std::int64_t>& points,
             const std::vector<std::int64_t>& ends) {
    open(kind);
    array("connectivity", "Int64", 1, points);
    array("offsets", "Int64", 1, ends);
    close(kind);
  }
  /// Texts are the numbers of their bytes, each ended by 0.
  void texts(std::string_view name, const std::vector<std::string>& values) {
    text_ += fmt::format("<Array type=\"String\" Name=\"{}\" NumberOfTuples=\"{}\" "
                         "format=\"ascii\">\n",
                         name, values.size());
    for (const std::string& value : values) {
      for (const char c : value)
        fmt::format_to(std::back_inserter(text_), "{} ", static_cast<unsigned char>(c));
      text_ += "0\n";
    }
    text_ += "</Array>\n";
  }
  void finish() {
    text_ += "</Piece>\n</PolyData>\n</VTKFile>\n";
    file_.write(text_);
    file_.finish();
  }

 private:
  WholeFile file_;
  std::string text_;
};

void append(std::vector<double>& to, const Vec3& v) { to.insert(to.end(), v.begin(), v.end()); }
void append(std::vector<float>& to, const Eigen::Vector3f& v) {
  to.insert(to.end(), v.begin(), v.end());
}

class VtkExport final : public ExportWriter {
 public:
  explicit VtkExport(const ExportTarget& target)
      : info_(target.info),
        path_(target.path),
        folder_(std::filesystem::path(target.path).replace_extension()) {
    make_directory(folder_);
    for (std::uint32_t i = 0; i < info_.body_count(); ++i)
      names_.push_back(valid_utf8(body_name(info_, static_cast<int>(i))));
    for (const SkinPart& part : skin_of(info_, target.size)) {
      const auto first = static_cast<std::int64_t>(vertices_.size());
      vertices_.insert(vertices_.end(), part.vertices.begin(), part.vertices.end());
      for (const Face& face : part.faces) {
        for (int k = 0; k < face.size(); ++k)
          corners_.push_back(first + face.vertex[static_cast<std::size_t>(k)]);
        ends_.push_back(static_cast<std::int64_t>(corners_.size()));
      }
    }
  }

  void record(const ExportFrame& frame) override {
    write_skin(frame);
    write_bodies(frame);
    write_contacts(frame);
    times_.push_back(frame.time);
  }

  void finish() override {
    for (const std::string_view kind : kinds) {
      std::error_code no_throw;
      for (std::size_t i = times_.size();
           std::filesystem::remove(folder_ / file_name(kind, i), no_throw); ++i)
        continue;
    }
    WholeFile file(path_);
    file.write("<?xml version=\"1.0\"?>\n"
               "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
               "<Collection>\n");
    for (std::size_t i = 0; i < times_.size(); ++i)
      for (std::size_t part = 0; part < std::size(kinds); ++part)
        file.write(fmt::format(
            "<DataSet timestep=\"{}\" group=\"\" part=\"{}\" name=\"{}\" file=\"{}\"/>\n",
            times_[i], part, kinds[part],
            escape_markup(folder_.filename().string() + "/" + file_name(kinds[part], i))));
    file.write("</Collection>\n</VTKFile>\n");
    file.finish();
  }

  std::string details() const override { return fmt::format("{} vertices", vertices_.size()); }

 private:
  static constexpr std::string_view kinds[] = {"skin", "bodies", "contacts"};
  static std::string file_name(std::string_view kind, std::size_t frame) {
    return fmt::format("{}_{:05}.vtp", kind, frame);
  }
  std::filesystem::path next(std::string_view kind) const {
    return folder_ / file_name(kind, times_.size());
  }
  bool is_rigid(int body) const { return body >= static_cast<int>(info_.particle_count); }

  /// How fast a point of a body moves.
  Vec3 velocity(const ExportFrame& frame, const Point& point) const {
    if (point.body.is_world()) return Vec3::Zero();
    const auto body = static_cast<std::size_t>(point.body.index);
    if (!is_rigid(point.body.index)) return frame.velocities[body];
    const std::size_t rigid = body - info_.particle_count;
    return frame.velocities[body] +
           frame.angular_velocities[rigid].cross(frame.orientations[rigid] * point.local);
  }

  void write_skin(const ExportFrame& frame) {
    PolyData file(next("skin"), frame.time, {vertices_.size(), 0, ends_.size()});
    std::vector<double> places, velocities;
    std::vector<std::int32_t> bodies;
    for (const SkinVertex& vertex : vertices_) {
      append(places, frame.at(info_, vertex.point) + vertex.offset);
      bodies.push_back(vertex.point.body.index);
      if (!frame.velocities.empty()) append(velocities, velocity(frame, vertex.point));
    }
    file.open("PointData");
    file.array("body", 1, bodies);
    if (!frame.velocities.empty()) file.array("velocity", 3, velocities);
    file.close("PointData");
    file.points(places);
    file.cells("Polys", corners_, ends_);
    file.finish();
  }

  void write_bodies(const ExportFrame& frame) {
    const std::size_t count = frame.positions.size();
    PolyData file(next("bodies"), frame.time, {count, count, 0});
    std::vector<double> places, turns, velocities, turning;
    std::vector<float> forces(3 * count);
    std::vector<std::int64_t> points, ends;
    for (std::size_t i = 0; i < count; ++i) {
      const bool rigid = is_rigid(static_cast<int>(i));
      const std::size_t r = i - info_.particle_count;
      append(places, frame.positions[i]);
      const Quat q = rigid ? frame.orientations[r] : Quat::Identity();
      turns.insert(turns.end(), {q.w(), q.x(), q.y(), q.z()});
      if (!frame.velocities.empty()) {
        append(velocities, frame.velocities[i]);
        append(turning, rigid ? frame.angular_velocities[r] : Vec3(Vec3::Zero()));
      }
      points.push_back(static_cast<std::int64_t>(i));
      ends.push_back(static_cast<std::int64_t>(i) + 1);
    }
    for (const RecordedContact& contact : frame.contacts)
      for (std::size_t k = 0; k < 3; ++k) {
        const float force = contact.force[static_cast<int>(k)];
        if (contact.a >= 0) forces[3 * static_cast<std::size_t>(contact.a) + k] += force;
        if (contact.b >= 0) forces[3 * static_cast<std::size_t>(contact.b) + k] -= force;
      }
    file.open("PointData");
    file.texts("name", names_);
    file.array("quaternion", 4, turns);
    if (!frame.velocities.empty()) {
      file.array("velocity", 3, velocities);
      file.array("angular_velocity", 3, turning);
    }
    file.array("contact_force", 3, forces);
    file.close("PointData");
    file.points(places);
    file.cells("Verts", points, ends);
    file.finish();
  }

  void write_contacts(const ExportFrame& frame) {
    const std::size_t count = frame.contacts.size();
    PolyData file(next("contacts"), frame.time, {count, count, 0});
    std::vector<double> places;
    std::vector<float> normals, forces, slips, torques, gaps;
    std::vector<std::int32_t> bodies;
    std::vector<std::int64_t> points, ends;
    for (const RecordedContact& contact : frame.contacts) {
      append(places, contact.point.cast<double>());
      append(normals, contact.normal);
      append(forces, contact.force);
      append(slips, contact.slip);
      append(torques, contact.torque);
      gaps.push_back(contact.gap);
      bodies.insert(bodies.end(), {contact.a, contact.b});
      points.push_back(static_cast<std::int64_t>(points.size()));
      ends.push_back(static_cast<std::int64_t>(points.size()));
    }
    file.open("PointData");
    file.array("bodies", 2, bodies);
    file.array("normal", 3, normals);
    file.array("force", 3, forces);
    file.array("slip", 3, slips);
    file.array("torque", 3, torques);
    file.array("gap", 1, gaps);
    file.close("PointData");
    file.points(places);
    file.cells("Verts", points, ends);
    file.finish();
  }

  const RecordingInfo& info_;
  std::filesystem::path path_, folder_;
  std::vector<std::string> names_;
  std::vector<SkinVertex> vertices_;
  std::vector<std::int64_t> corners_, ends_;  // of the faces
  std::vector<double> times_;
};

}  // namespace

ExportFormat describe_vtk_export() {
  return {.name = "vtk",
          .extensions = {".pvd"},
          .summary = "VTK polygons for each frame and a collection, for ParaView",
          .make = [](const ExportFormat&,
                     const ExportTarget& target) -> std::unique_ptr<ExportWriter> {
            return std::make_unique<VtkExport>(target);
          }};
}

}  // namespace taut::io
