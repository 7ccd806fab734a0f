// USD as text: an Xform for each body, moved by samples over time, with primitives and meshes for
// its shapes; cloth is a Mesh and links are BasisCurves whose points are sampled.
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "taut/base/version.hpp"
#include "taut/record/export.hpp"
#include "taut/record/motion_store.hpp"
#include "taut/record/upright_internal.hpp"
#include "taut/text/json.hpp"
#include "taut/text/whole_file.hpp"

namespace taut::io {
namespace {

using detail::up_of;
using Shape = RecordingInfo::Shape;

/// Names of prims are letters, digits and underscores, and differ within a prim.
class PrimNames {
 public:
  std::string operator()(std::string_view name) {
    std::string plain;
    for (const char c : name) {
      const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
      const bool is_digit = c >= '0' && c <= '9';
      if (plain.empty() && is_digit) plain = "_";
      plain += is_letter || is_digit ? c : '_';
    }
    if (plain.empty()) plain = "_";
    std::string free = plain;
    for (int i = 2; !taken_.insert(free).second; ++i) free = fmt::format("{}_{}", plain, i);
    return free;
  }

 private:
  std::set<std::string> taken_;
};

class UsdExport final : public ExportWriter {
 public:
  explicit UsdExport(const ExportTarget& target)
      : target_(target),
        info_(target.info),
        drawing_(drawing_of(info_, target.size)),
        motion_(target, drawing_),
        file_(target.path),
        rate_(target.interval > 0 ? 1 / target.interval : 30) {}

  void record(const ExportFrame& frame) override { motion_.add(frame); }

  void finish() override {
    root_ = PrimNames()(info_.scene);
    number_materials();
    write_head();
    open("Xform", root_, info_.scene);
    const bool is_z_up = up_of(info_.gravity).z() > 0;
    const Quat turn = detail::upright(info_.gravity, is_z_up ? Vec3::UnitZ() : Vec3::UnitY());
    line("quatd xformOp:orient = {}", quaternion(turn));
    line("uniform token[] xformOpOrder = [\"xformOp:orient\"]");
    PrimNames names;
    write_materials(names("materials"));
    for (const int ball : drawing_.balls) write_ball(ball, names);
    for (std::uint32_t i = info_.particle_count; i < info_.body_count(); ++i)
      write_body(static_cast<int>(i), names);
    write_solids(-1, names);
    for (std::size_t s = 0; s < info_.surfaces.size(); ++s) write_cloth(s, names);
    write_rods(names);
    close();
    file_.finish();
  }

  std::string details() const override { return fmt::format("{} prims", prims_); }

 private:
  using Column = MotionStore::Column;

  template <class... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    text_.append(2 * depth_, ' ');
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    text_ += '\n';
    flush(1 << 16);
  }
  void flush(std::size_t most) {
    if (text_.size() < most) return;
    file_.write(text_);
    text_.clear();
  }
  static std::string triple(const Vec3& v) { return fmt::format("({}, {}, {})", v[0], v[1], v[2]); }
  static std::string quaternion(const Quat& q) {
    return fmt::format("({}, {}, {}, {})", q.w(), q.x(), q.y(), q.z());
  }
  static std::string triple(std::span<const float> v) {
    return fmt::format("({}, {}, {})", v[0], v[1], v[2]);
  }

  /// Where names had to be changed, customData has them as they were.
  void open(std::string_view type, const std::string& prim, const std::string& name,
            bool has_material = false) {
    if (depth_ > 0) text_ += '\n';
    line("def {} \"{}\" (", type, prim);
    if (has_material) line("  prepend apiSchemas = [\"MaterialBindingAPI\"]");
    line("  customData = {{ string name = {} }}", json_quoted(name));
    line(")");
    line("{{");
    ++depth_;
    ++prims_;
  }
  void close() {
    --depth_;
    line("}}");
    if (depth_ == 0) flush(0);
  }

  /// In frames: whole numbers where the frames are evenly spaced.
  double code(double time) const {
    const double exact = time * rate_, whole = std::round(exact);
    return std::abs(exact - whole) < 1e-6 ? whole : exact;
  }
  /// A sample for each frame, made by `value` from the column's numbers.
  template <class Value>
  void samples(std::string_view attribute, Column column, const Value& value) {
    line("{}.timeSamples = {{", attribute);
    std::size_t frame = 0;
    motion_.read(column, [&](std::span<const float> numbers) {
      line("  {}: {},", code(motion_.times()[frame++]), value(numbers));
    });
    line("}}");
  }
  static std::string triples(std::span<const float> numbers) {
    std::string text = "[";
    for (std::size_t i = 0; i < numbers.size(); i += 3) {
      if (i > 0) text += ", ";
      text += triple(numbers.subspan(i, 3));
    }
    return text + "]";
  }

  void number_materials();
  void write_head();
  void write_materials(const std::string& scope);
  void write_look(const Colour& colour);
  void write_body(int body, PrimNames& names);
  void write_ball(int body, PrimNames& names);
  void write_solids(int body, PrimNames& names);
  void write_solid(const DrawnSolid& solid, PrimNames& names);
  void write_mesh(const Mesh& mesh);
  void write_faces(const std::vector<Face>& faces);
  void write_cloth(std::size_t surface, PrimNames& names);
  void write_rods(PrimNames& names);

  ExportTarget target_;
  const RecordingInfo& info_;
  Drawing drawing_;
  MotionStore motion_;
  WholeFile file_;
  const double rate_;  // time codes per second
  std::string root_, text_;
  std::size_t depth_ = 0;
  long prims_ = 0;
  std::map<Colour, int> materials_;
};

void UsdExport::write_head() {
  const auto& times = motion_.times();
  text_ += "#usda 1.0\n(\n";
  line("  doc = {}", json_quoted(fmt::format("{}, by taut {}", info_.scene, version)));
  line("  defaultPrim = \"{}\"", root_);
  line("  startTimeCode = {}", code(times.front()));
  line("  endTimeCode = {}", code(times.back()));
  line("  timeCodesPerSecond = {}", rate_);
  line("  framesPerSecond = {}", rate_);
  line("  metersPerUnit = 1");
  line("  upAxis = \"{}\"", up_of(info_.gravity).z() > 0 ? "Z" : "Y");
  text_ += ")\n\n";
}

// --- looks -------------------------------------------------------------------------------------

void UsdExport::number_materials() {
  const auto add = [&](const Colour& colour) {
    materials_.try_emplace(colour, static_cast<int>(materials_.size()));
  };
  for (const DrawnSolid& solid : drawing_.solids) add(solid.colour);
  if (!drawing_.balls.empty()) add(Drawing::ball_colour);
  if (!drawing_.rods.empty()) add(Drawing::rod_colour);
  if (!info_.surfaces.empty()) add(Drawing::cloth_colour);
}

/// The light of USD is linear, colours of screens are about its square root.
Vec3 light(const Colour& colour) {
  const auto linear = [](double c) {
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  return {linear(colour[0]), linear(colour[1]), linear(colour[2])};
}

void UsdExport::write_materials(const std::string& scope) {
  open("Scope", scope, "materials");
  for (const auto& [colour, number] : materials_) {
    const std::string name = fmt::format("material{}", number);
    open("Material", name, name);
    line("token outputs:surface.connect = </{}/{}/{}/shader.outputs:surface>", root_, scope, name);
    open("Shader", "shader", "shader");
    line("uniform token info:id = \"UsdPreviewSurface\"");
    line("color3f inputs:diffuseColor = {}", triple(light(colour)));
    line("float inputs:opacity = {}", colour[3]);
    line("float inputs:roughness = 0.8");
    line("token outputs:surface");
    close();
    close();
  }
  close();
}

void UsdExport::write_look(const Colour& colour) {
  line("rel material:binding = </{}/materials/material{}>", root_, materials_.at(colour));
  line("color3f[] primvars:displayColor = [{}]", triple(light(colour)));
}

// --- bodies ------------------------------------------------------------------------------------

void UsdExport::write_ball(int body, PrimNames& names) {
  const std::string name = body_name(info_, body);
  open("Sphere", names(name), name, true);
  line("double radius = {}", drawing_.ball_radius);
  samples("float3 xformOp:translate", motion_.body(body),
          [](std::span<const float> place) { return triple(place); });
  line("uniform token[] xformOpOrder = [\"xformOp:translate\"]");
  write_look(Drawing::ball_colour);
  close();
}

void UsdExport::write_body(int body, PrimNames& names) {
  const std::string name = body_name(info_, body);
  open("Xform", names(name), name);
  const Column column = motion_.body(body);
  samples("float3 xformOp:translate", column.part(0, 3),
          [](std::span<const float> place) { return triple(place); });
  // Doubles of length 1: USD turns by twice the arc cosine of w, which loses half the digits of a
  // float near 1.
  samples("quatd xformOp:orient", column.part(3, 4), [](std::span<const float> q) {
    return quaternion(Quat(q[3], q[0], q[1], q[2]).normalized());
  });
  line("uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]");
  PrimNames own;
  write_solids(body, own);
  close();
}

void UsdExport::write_solids(int body, PrimNames& names) {
  for (const DrawnSolid& solid : drawing_.solids)
    if (solid.shape.body == body) write_solid(solid, names);
}

void UsdExport::write_solid(const DrawnSolid& solid, PrimNames& names) {
  const Shape& shape = solid.shape;
  struct Primitive {
    std::string_view shape, prim;
  };
  constexpr Primitive primitives[] = {{"box", "Cube"},           {"sphere", "Sphere"},
                                      {"ellipsoid", "Sphere"},   {"capsule", "Capsule"},
                                      {"cylinder", "Cylinder"},  {"cone", "Cone"}};
  std::string_view prim = "Mesh";
  for (const Primitive& each : primitives)
    if (each.shape == shape.type) prim = each.prim;
  open(prim, names(solid.own_name), solid.own_name, true);
  line("double3 xformOp:translate = {}", triple(shape.position));
  line("quatd xformOp:orient = {}", quaternion(shape.orientation.normalized()));
  const double r = shape.radius;
  Vec3 scale = Vec3::Ones();
  if (shape.type == "box" || shape.type == "ellipsoid") scale = Vec3(shape.size.array() + r);
  line("double3 xformOp:scale = {}", triple(scale));
  line("uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\", "
       "\"xformOp:scale\"]");
  if (prim == "Cube") line("double size = 2");
  if (prim == "Sphere") line("double radius = {}", shape.type == "sphere" ? r : 1.0);
  if (prim == "Capsule" || prim == "Cylinder" || prim == "Cone") {
    const double rounding = prim == "Capsule" ? 0 : r;
    line("uniform token axis = \"Z\"");
    line("double radius = {}", prim == "Capsule" ? r : shape.size.x() + r);
    line("double height = {}", 2 * (shape.size.z() + rounding));
  }
  if (prim == "Mesh") write_mesh(mesh_of(shape));
  write_look(solid.colour);
  close();
}

void UsdExport::write_mesh(const Mesh& mesh) {
  std::string points = "[";
  for (const Vec3& vertex : mesh.vertices)
    points += (points.size() > 1 ? ", " : "") + triple(vertex);
  line("point3f[] points = {}]", points);
  write_faces(mesh.faces);
}

void UsdExport::write_faces(const std::vector<Face>& faces) {
  std::string counts = "[", numbers = "[";
  for (const Face& face : faces) {
    fmt::format_to(std::back_inserter(counts), "{}{}", counts.size() > 1 ? ", " : "", face.size());
    for (int k = 0; k < face.size(); ++k)
      fmt::format_to(std::back_inserter(numbers), "{}{}", numbers.size() > 1 ? ", " : "",
                     face.vertex[static_cast<std::size_t>(k)]);
  }
  line("int[] faceVertexCounts = {}]", counts);
  line("int[] faceVertexIndices = {}]", numbers);
  line("uniform token subdivisionScheme = \"none\"");
  line("uniform bool doubleSided = 1");
}

// --- cloth and links ---------------------------------------------------------------------------

void UsdExport::write_cloth(std::size_t surface, PrimNames& names) {
  const Surface& cloth = info_.surfaces[surface];
  open("Mesh", names(cloth.name), cloth.name, true);
  write_faces(cloth.faces);
  samples("point3f[] points", motion_.surface(surface), triples);
  write_look(Drawing::cloth_colour);
  close();
}

void UsdExport::write_rods(PrimNames& names) {
  if (drawing_.rods.empty()) return;
  open("BasisCurves", names("links"), "links", true);
  line("uniform token type = \"linear\"");
  std::string counts;
  for (std::size_t i = 0; i < drawing_.rods.size(); ++i) counts += i > 0 ? ", 2" : "2";
  line("int[] curveVertexCounts = [{}]", counts);
  line("float[] widths = [{}] (interpolation = \"constant\")", 2 * drawing_.rod_radius);
  samples("point3f[] points", motion_.rods(), triples);
  write_look(Drawing::rod_colour);
  close();
}

}  // namespace

ExportFormat describe_usd_export() {
  return {.name = "usd",
          .extensions = {".usda"},
          .summary = "USD as text, for Houdini, Omniverse and usdview",
          .make = [](const ExportFormat&,
                     const ExportTarget& target) -> std::unique_ptr<ExportWriter> {
            return std::make_unique<UsdExport>(target);
          }};
}

}  // namespace taut::io
