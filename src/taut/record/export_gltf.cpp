// glTF 2.0: a node for each body, with the meshes of its shapes below it and its motion as an
// animation; a rod is a node that is turned and stretched; cloth is a mesh with a morph target for
// each frame.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "taut/record/export.hpp"
#include "taut/record/gltf_document_internal.hpp"
#include "taut/record/motion_store.hpp"
#include "taut/record/upright_internal.hpp"
#include "taut/text/at.hpp"
#include "taut/text/whole_file.hpp"

namespace taut::io {
namespace {

using namespace detail;

/// So many frames of cloth are one mesh: animated weights are a matrix of frames times targets,
/// which must not grow with the square of the frames, and players have a limit on targets.
constexpr std::size_t most_targets = 240;

Json triple(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Json quaternion(const Quat& q) { return {q.x(), q.y(), q.z(), q.w()}; }

/// Where a rod is, from its ends: x y z, quaternion x y z w, scale.
class RodPlacer {
 public:
  explicit RodPlacer(double radius)
      : radius_(static_cast<float>(radius)), shortest_(shortest(radius)) {}
  /// A rod with no length would be a node with a singular matrix, at which renderers stop.
  static float shortest(double radius) { return static_cast<float>(1e-3 * radius); }

  /// Turns as little as possible from one frame to the next.
  std::array<float, 10> operator()(std::span<const float> ends) {
    const Vec3 a(ends[0], ends[1], ends[2]), b(ends[3], ends[4], ends[5]);
    const double length = (b - a).norm();
    if (length > 0) {
      const Vec3 along = (b - a) / length;
      Quat turn = Quat::FromTwoVectors(turn_ * Vec3::UnitZ(), along) * turn_;
      turn.normalize();
      if (turn.dot(turn_) < 0) turn.coeffs() = -turn.coeffs();
      turn_ = turn;
    }
    const Eigen::Vector4f q = turn_.coeffs().cast<float>();
    return {ends[0], ends[1], ends[2], q[0],    q[1],
            q[2],    q[3],    radius_, radius_, std::max(static_cast<float>(length), shortest_)};
  }

 private:
  float radius_, shortest_;
  Quat turn_ = Quat::Identity();
};

class GltfExport final : public ExportWriter {
 public:
  explicit GltfExport(const ExportTarget& target)
      : target_(target),
        info_(target.info),
        drawing_(drawing_of(info_, target.size)),
        motion_(target, drawing_),
        cloths_(info_.surfaces.size()) {}

  void record(const ExportFrame& frame) override {
    if (!times_.empty() && !(static_cast<float>(frame.time) > times_.back())) {
      ++crowded_;
      return;
    }
    times_.push_back(static_cast<float>(frame.time));
    motion_.add(frame);
    for (std::size_t s = 0; s < cloths_.size(); ++s) cloths_[s].add(info_.surfaces[s], frame);
  }

  void finish() override {
    const int root = document_.add_node(
        {{"name", info_.scene},
         {"rotation", quaternion(upright(info_.gravity, Vec3::UnitY()))}},
        -1);
    add_times();
    add_bodies(root);
    add_rods(root);
    for (std::size_t s = 0; s < cloths_.size(); ++s) add_cloth(s, root);
    if (target_.path.extension() == ".gltf" || target_.path.extension() == ".GLTF")
      write_text();
    else
      write_binary();
  }

  std::string details() const override {
    std::string text = fmt::format("{} nodes", document_.node_count());
    if (crowded_ > 0)
      text += fmt::format(", without {} frames that are at the same time as a float32", crowded_);
    return text;
  }

 private:
  using Column = MotionStore::Column;
  bool moves() const { return times_.size() > 1; }

  void add_times();
  int times_between(std::size_t first, std::size_t last);
  void animate(int node, std::string_view path, Column column);
  void add_bodies(int root);
  void add_solid(const DrawnSolid& solid, int parent);
  void add_rods(int root);
  void add_cloth(std::size_t surface, int root);
  void add_weights(int node, std::size_t first, std::size_t last);
  void show_between(int node, std::size_t first, std::size_t last);
  void write_text();
  void write_binary();

  /// The bounds of each frame of a cloth: of places for the first of a mesh, else of what a target
  /// adds to these.
  struct Cloth {
    std::vector<float> base, next;
    std::vector<Bounds> bounds;

    void add(const Surface& surface, const ExportFrame& frame) {
      next.clear();
      for (const BodyId vertex : surface.vertices)
        for (const double x : frame.positions[static_cast<std::size_t>(vertex.index)])
          next.push_back(static_cast<float>(x));
      const std::size_t number = bounds.size();
      if (number % most_targets == 0 && number > 0) {
        last_of_mesh.emplace_back();
        last_of_mesh.back().add(added());
      }
      if (number % most_targets == 0) base = next;
      bounds.emplace_back();
      bounds.back().add(number % most_targets == 0 ? next : added());
    }
    std::vector<float> added() const {
      std::vector<float> change(next.size());
      for (std::size_t i = 0; i < next.size(); ++i) change[i] = next[i] - base[i];
      return change;
    }
    std::vector<Bounds> last_of_mesh;  // a frame that ends one mesh begins the next
  };

  ExportTarget target_;
  const RecordingInfo& info_;
  Drawing drawing_;
  MotionStore motion_;
  std::vector<Cloth> cloths_;
  std::vector<float> times_;
  long crowded_ = 0;
  GltfDocument document_;
  int all_times_ = -1;
};

// --- times -------------------------------------------------------------------------------------

Json bounds_of(float low, float high) {
  return {{"min", Json::array({static_cast<double>(low)})},
          {"max", Json::array({static_cast<double>(high)})}};
}

void GltfExport::add_times() {
  if (!moves()) return;
  all_times_ = document_.buffer.add(
      GltfBuffer::numbers, "SCALAR", times_.size(),
      [this](const auto& write) { write(bytes_of(times_)); },
      bounds_of(times_.front(), times_.back()));
}

int GltfExport::times_between(std::size_t first, std::size_t last) {
  return document_.buffer.add_part(all_times_, first, last - first + 1,
                                   bounds_of(times_[first], times_[last]));
}

// --- bodies and rods ---------------------------------------------------------------------------

void GltfExport::animate(int node, std::string_view path, Column column) {
  const int values = document_.buffer.add(
      GltfBuffer::numbers, column.count == 3 ? "VEC3" : "VEC4", times_.size(),
      [this, column](const auto& write) {
        motion_.read(column, [&](std::span<const float> row) { write(bytes_of(row)); });
      });
  document_.animate(node, path, all_times_, values);
}

void GltfExport::add_solid(const DrawnSolid& solid, int parent) {
  const auto& [shape, name, is_inertia, colour] = solid;
  const Mesh mesh = mesh_of(shape);
  if (mesh.vertices.empty() || mesh.faces.empty()) return;
  document_.add_node({{"name", name},
                      {"mesh", document_.add_mesh(name, mesh, colour)},
                      {"translation", triple(shape.position)},
                      {"rotation", quaternion(shape.orientation.normalized())}},
                     parent);
}

void GltfExport::add_bodies(int root) {
  std::vector<int> nodes(info_.body_count(), root);
  const auto add = [&](int body, Json node) {
    const Column column = motion_.body(body);
    std::vector<float> start;
    motion_.read(column, [&](std::span<const float> values) {
      if (start.empty()) start.assign(values.begin(), values.end());
    });
    node["name"] = body_name(info_, body);
    for (int k = 0; k < 3; ++k) node["translation"].push_back(double{start[std::size_t(k)]});
    if (column.count == 7)
      for (int k = 3; k < 7; ++k) node["rotation"].push_back(double{start[std::size_t(k)]});
    const int number = document_.add_node(std::move(node), root);
    if (moves()) animate(number, "translation", column.part(0, 3));
    if (moves() && column.count == 7) animate(number, "rotation", column.part(3, 4));
    nodes[static_cast<std::size_t>(body)] = number;
  };
  if (!drawing_.balls.empty()) {
    const int mesh = document_.add_mesh("particle", ball_mesh(drawing_.ball_radius),
                                        Drawing::ball_colour);
    for (const int ball : drawing_.balls) add(ball, {{"mesh", mesh}});
  }
  for (std::uint32_t i = info_.particle_count; i < info_.body_count(); ++i)
    add(static_cast<int>(i), Json::object());
  for (const DrawnSolid& solid : drawing_.solids)
    add_solid(solid,
              solid.shape.body < 0 ? root : nodes[static_cast<std::size_t>(solid.shape.body)]);
}

void GltfExport::add_rods(int root) {
  if (drawing_.rods.empty()) return;
  const int mesh = document_.add_mesh("rod", rod_mesh(), Drawing::rod_colour);
  for (std::size_t i = 0; i < drawing_.rods.size(); ++i) {
    std::array<float, 10> start{};
    float longest = 0;
    bool is_first = true;
    RodPlacer place(drawing_.rod_radius);
    motion_.read(motion_.rod(i), [&](std::span<const float> ends) {
      const auto placed = place(ends);
      if (is_first) start = placed;
      is_first = false;
      longest = std::max(longest, placed.back());
    });
    if (longest <= RodPlacer::shortest(drawing_.rod_radius)) continue;  // a joint: its ends are one
    Json node{{"name", fmt::format("link{}", drawing_.rods[i])}, {"mesh", mesh}};
    struct Part {
      std::string_view path;
      std::size_t first, count;
    };
    constexpr Part parts[] = {{"translation", 0, 3}, {"rotation", 3, 4}, {"scale", 7, 3}};
    for (const auto& [path, first, count] : parts)
      for (std::size_t k = first; k < first + count; ++k) node[path].push_back(double{start[k]});
    const int number = document_.add_node(std::move(node), root);
    for (const auto& [path, first, count] : parts) {
      if (!moves()) continue;
      const int values = document_.buffer.add(
          GltfBuffer::numbers, count == 3 ? "VEC3" : "VEC4", times_.size(),
          [this, i, first = first, count = count](const auto& write) {
            RodPlacer placer(drawing_.rod_radius);
            motion_.read(motion_.rod(i), [&](std::span<const float> ends) {
              const auto placed = placer(ends);
              write(bytes_of(std::span(placed).subspan(first, count)));
            });
          });
      document_.animate(number, path, all_times_, values);
    }
  }
}

// --- cloth -------------------------------------------------------------------------------------

/// Meshes of most_targets frames each; a frame that ends one of them begins the next.
void GltfExport::add_cloth(std::size_t surface, int root) {
  const Surface& cloth = info_.surfaces[surface];
  if (cloth.vertices.empty() || cloth.faces.empty()) return;
  const std::size_t vertices = cloth.vertices.size();
  const int triangles = document_.add_triangles(cloth.faces);
  const std::size_t end = times_.size() - 1;
  for (std::size_t first = 0; first == 0 || first < end; first += most_targets) {
    const std::size_t last = std::min(first + most_targets, end);
    std::vector<int> accessors;
    for (std::size_t f = first; f <= last; ++f) {
      const bool begins_next = f == last && f > first && f % most_targets == 0;
      const Bounds& bounds = begins_next ? cloths_[surface].last_of_mesh[f / most_targets - 1]
                                         : cloths_[surface].bounds[f];
      accessors.push_back(document_.buffer.add(
          GltfBuffer::vertices, "VEC3", vertices,
          [this, surface, first, f](const auto& write) {
            const Column column = motion_.surface(surface);
            std::vector<float> places = motion_.read(column, f);
            if (f > first) {
              const std::vector<float> base = motion_.read(column, first);
              for (std::size_t i = 0; i < places.size(); ++i) places[i] -= base[i];
            }
            write(bytes_of(places));
          },
          bounds.json()));
    }
    const std::vector<int> targets(accessors.begin() + 1, accessors.end());
    const int mesh = document_.add_mesh(cloth.name, accessors.front(), triangles, targets,
                                        Drawing::cloth_colour, true);
    const int node = document_.add_node({{"name", cloth.name}, {"mesh", mesh}}, root);
    if (last > first) add_weights(node, first, last);
    if (end > most_targets) show_between(node, first, last);
  }
}

/// At frame first + k target k has the weight 1; at the first, no target has.
void GltfExport::add_weights(int node, std::size_t first, std::size_t last) {
  const std::size_t targets = last - first;
  const int weights = document_.buffer.add(
      GltfBuffer::numbers, "SCALAR", (targets + 1) * targets, [targets](const auto& write) {
        for (std::size_t f = 0; f <= targets; ++f) {
          std::vector<float> row(targets);
          if (f > 0) row[f - 1] = 1;
          write(bytes_of(row));
        }
      });
  document_.animate(node, "weights", times_between(first, last), weights);
}

/// At other times the node has no size.
void GltfExport::show_between(int node, std::size_t first, std::size_t last) {
  std::vector<float> times, scales;
  const auto key = [&](std::size_t frame, float scale) {
    times.push_back(times_[frame]);
    scales.insert(scales.end(), 3, scale);
  };
  if (first > 0) key(0, 0);
  key(first, 1);
  if (last + 1 < times_.size()) key(last, 0);
  const auto source = [](const std::vector<float>& values) {
    return [bytes = bytes_of(values)](const auto& write) { write(bytes); };
  };
  GltfBuffer& buffer = document_.buffer;
  const int at = buffer.add(GltfBuffer::numbers, "SCALAR", times.size(), source(times),
                            bounds_of(times.front(), times.back()));
  const int size = buffer.add(GltfBuffer::numbers, "VEC3", times.size(), source(scales));
  document_.animate(node, "scale", at, size, true);
}

// --- files -------------------------------------------------------------------------------------

void GltfExport::write_text() {
  std::filesystem::path beside = target_.path;
  beside.replace_extension(".bin");
  const Json json = document_.json(info_.scene, beside.filename().string());
  if (document_.buffer.size() > 0) {
    WholeFile file(beside);
    document_.buffer.write([&](std::string_view bytes) { file.write(bytes); });
    file.finish();
  }
  WholeFile file(target_.path);
  file.write(json.dump(1) + "\n");
  file.finish();
}

void GltfExport::write_binary() {
  std::string json = document_.json(info_.scene, "").dump();
  json.append((4 - json.size() % 4) % 4, ' ');
  const std::uint64_t binary = document_.buffer.size();  // a multiple of 4
  const std::uint64_t size = 12 + 8 + json.size() + (binary > 0 ? 8 + binary : 0);
  if (size > std::numeric_limits<std::uint32_t>::max())
    throw WriteError(fmt::format(
        "{}: it would have {:.3g} GB, and a .glb at most 4.29; a .gltf may be larger, and --every "
        "writes fewer frames",
        shown_file(target_.path.string()), static_cast<double>(size) / 1e9));
  LittleEndianBytes head;
  for (const std::uint64_t word : {std::uint64_t{0x46546C67}, std::uint64_t{2}, size,
                                   std::uint64_t{json.size()}, std::uint64_t{0x4E4F534A}})
    head.add(static_cast<std::uint32_t>(word));
  WholeFile file(target_.path);
  file.write(head.text());
  file.write(json);
  if (binary > 0) {
    head.clear();
    head.add(static_cast<std::uint32_t>(binary));
    head.add(std::uint32_t{0x004E4942});
    file.write(head.text());
    document_.buffer.write([&](std::string_view bytes) { file.write(bytes); });
  }
  file.finish();
}

}  // namespace

ExportFormat describe_gltf_export() {
  return {.name = "gltf",
          .extensions = {".glb", ".gltf"},
          .summary = "glTF 2.0 animation, for Blender, three.js and most viewers",
          .make = [](const ExportFormat&,
                     const ExportTarget& target) -> std::unique_ptr<ExportWriter> {
            return std::make_unique<GltfExport>(target);
          }};
}

}  // namespace taut::io
