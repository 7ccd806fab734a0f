// The JSON at the head of a recording.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "taut/base/error.hpp"
#include "taut/base/version.hpp"
#include "taut/record/input_json.hpp"
#include "taut/record/recording_internal.hpp"
#include "taut/record/skin.hpp"
#include "taut/text/json.hpp"
#include "taut/text/json_text.hpp"

namespace taut::io::detail {
namespace {

constexpr std::size_t most_particle_names = 10'000;
constexpr std::string_view shapes[] = {"box", "cylinder", "sphere", "mesh", "capsule", "ellipsoid"};

/// Finds what constraints and springs hold together.
class LinkCollector {
 public:
  LinkCollector(const Scene& scene, const std::vector<int>& number, RecordingInfo& info)
      : number_(number), info_(info), surface_(number.size(), -1) {
    for (std::size_t s = 0; s < scene.surfaces.size(); ++s)
      for (const BodyId vertex : scene.surfaces[s].vertices)
        surface_[static_cast<std::size_t>(vertex.index)] = static_cast<int>(s);
  }

  void add_all(const System& system) {
    std::vector<Anchor> anchors;
    for (const auto& batch : system.constraints()) {
      anchors.resize(static_cast<std::size_t>(batch->anchors_per_constraint()));
      for (int i = 0; i < batch->size(); ++i) {
        batch->anchors(i, anchors);
        add(anchors, batch->type());
      }
    }
    for (const auto& batch : system.all_forces()) {
      if (batch->anchors_per_coupling() != 2) continue;
      batch->visit_couplings(system, [&](std::span<const Anchor> ends) {
        if (!ends[0].is_direction && !ends[1].is_direction) add(ends, batch->type());
      });
    }
  }

 private:
  void add(std::span<const Anchor> anchors, std::string_view type) {
    const Anchor *first = nullptr, *last = nullptr;
    for (const Anchor& anchor : anchors) {
      if (anchor.is_direction) continue;
      if (!first) first = &anchor;
      last = &anchor;
    }
    if (!first || (first != last && is_in_one_surface(*first, *last))) return;
    info_.links.push_back({recorded(*first), recorded(*last), type_number(type)});
  }

  bool is_in_one_surface(const Anchor& a, const Anchor& b) const {
    if (a.body.is_world() || b.body.is_world()) return false;
    const int surface = surface_[static_cast<std::size_t>(a.body.index)];
    return surface >= 0 && surface == surface_[static_cast<std::size_t>(b.body.index)];
  }
  Point recorded(const Anchor& anchor) const {
    if (anchor.body.is_world()) return world_point(anchor.local);
    return {BodyId{number_[static_cast<std::size_t>(anchor.body.index)]}, anchor.local};
  }
  std::uint32_t type_number(std::string_view type) {
    const auto& types = info_.link_types;
    if (types.empty() || types.back() != type) info_.link_types.emplace_back(type);
    return static_cast<std::uint32_t>(types.size() - 1);
  }

  const std::vector<int>& number_;
  RecordingInfo& info_;
  std::vector<int> surface_;  // of each body
};

Json vector_json(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

Json visual_json(const Visual& visual, const std::unordered_map<std::string, int>& number) {
  const Quat& q = visual.orientation;
  const auto body = number.find(visual.body);
  Json json{{"body", body == number.end() ? -1 : body->second},
            {"shape", shapes[static_cast<std::size_t>(visual.shape)]},
            {"size", vector_json(visual.size)},
            {"position", vector_json(visual.position)},
            {"orientation", {q.w(), q.x(), q.y(), q.z()}},
            {"color", std::vector<double>(visual.color.begin(), visual.color.end())}};
  if (!visual.mesh.empty()) json["mesh"] = visual.mesh;
  return json;
}

Json shape_json(const RecordingInfo::Shape& shape) {
  const Quat& q = shape.orientation;
  Json json{{"body", shape.body},
            {"type", shape.type},
            {"size", vector_json(shape.size)},
            {"radius", shape.radius},
            {"position", vector_json(shape.position)},
            {"orientation", {q.w(), q.x(), q.y(), q.z()}}};
  if (!shape.name.empty()) json["name"] = shape.name;
  if (shape.vertices.empty()) return json;
  for (const Vec3& vertex : shape.vertices) json["vertices"].push_back(vector_json(vertex));
  for (const std::vector<int>& face : shape.faces) {
    Json corners = Json::array();
    for (const int corner : face) corners.push_back(corner);
    json["faces"].push_back(std::move(corners));
  }
  return json;
}

/// What a header may fail to be.
[[noreturn]] void refuse() { throw Error("no JSON of a recording"); }

const Node& member(const Node& node, std::string_view key) {
  const Node* found = node.find(key);
  if (!found) refuse();
  return *found;
}
double number(const Node& node) {
  if (!node.number()) refuse();
  return *node.number();
}
std::int64_t whole(const Node& node) {
  const double value = number(node);
  if (!(std::abs(value) < 9e15) || value != std::floor(value)) refuse();
  return static_cast<std::int64_t>(value);
}
std::uint64_t count(const Node& node) {
  const std::int64_t value = whole(node);
  if (value < 0) refuse();
  return static_cast<std::uint64_t>(value);
}
const std::string& text(const Node& node) {
  if (!node.text()) refuse();
  return *node.text();
}
const Node::Items& items(const Node& node) {
  if (!node.items()) refuse();
  return *node.items();
}
std::vector<std::string> texts(const Node& node) {
  std::vector<std::string> all;
  for (const Node& each : items(node)) all.push_back(text(each));
  return all;
}
Input read_input(const Node& node) {
  Input input{text(member(node, "name")), text(member(node, "unit")),
              text(member(node, "description")), number(member(node, "start"))};
  if (const Node* min = node.find("min")) input.min = number(*min);
  if (const Node* max = node.find("max")) input.max = number(*max);
  return input;
}

template <std::size_t N>
std::array<double, N> numbers(const Node& node) {
  std::array<double, N> all;
  if (items(node).size() != N) refuse();
  for (std::size_t i = 0; i < N; ++i) all[i] = number(items(node)[i]);
  return all;
}
Vec3 vector(const Node& node) { return Vec3(numbers<3>(node).data()); }

Visual read_visual(const Node& node, const RecordingInfo& info) {
  Visual visual;
  const auto body = whole(member(node, "body"));
  if (body >= static_cast<std::int64_t>(info.body_count())) throw Error("a visual of no body");
  const std::int64_t rigid = body - static_cast<std::int64_t>(info.particle_count);
  if (rigid >= 0) visual.body = info.rigid_names[static_cast<std::size_t>(rigid)];
  if (body >= 0 && rigid < 0 && !info.particle_names.empty())
    visual.body = info.particle_names[static_cast<std::size_t>(body)];
  const std::string& shape = text(member(node, "shape"));
  const auto* found = std::find(std::begin(shapes), std::end(shapes), shape);
  if (found == std::end(shapes)) throw Error("a visual of an unknown shape");
  visual.shape = static_cast<Visual::Shape>(found - std::begin(shapes));
  visual.size = vector(member(node, "size"));
  visual.position = vector(member(node, "position"));
  const auto q = numbers<4>(member(node, "orientation"));
  visual.orientation = Quat(q[0], q[1], q[2], q[3]);
  visual.color = numbers<4>(member(node, "color"));
  if (const Node* mesh = node.find("mesh")) visual.mesh = text(*mesh);
  return visual;
}

RecordingInfo::Shape read_shape(const Node& node, const RecordingInfo& info) {
  RecordingInfo::Shape shape;
  const std::int64_t body = whole(member(node, "body"));
  if (body < -1 || body >= static_cast<std::int64_t>(info.body_count()))
    throw Error("a shape of no body");
  shape.body = static_cast<int>(body);
  if (const Node* name = node.find("name")) shape.name = text(*name);
  shape.type = text(member(node, "type"));
  shape.size = vector(member(node, "size"));
  shape.radius = number(member(node, "radius"));
  shape.position = vector(member(node, "position"));
  const auto q = numbers<4>(member(node, "orientation"));
  shape.orientation = Quat(q[0], q[1], q[2], q[3]);
  if (!node.find("vertices")) return shape;
  for (const Node& vertex : items(member(node, "vertices")))
    shape.vertices.push_back(vector(vertex));
  for (const Node& face : items(member(node, "faces"))) {
    std::vector<int>& corners = shape.faces.emplace_back();
    for (const Node& corner : items(face)) {
      if (count(corner) >= shape.vertices.size()) throw Error("a face of no vertex");
      corners.push_back(static_cast<int>(count(corner)));
    }
  }
  return shape;
}

}  // namespace

std::vector<int> recorded_numbers(const System& system) {
  std::vector<int> numbers;
  int particle = 0, rigid = system.body_count() - system.rigid_count();
  for (int i = 0; i < system.body_count(); ++i)
    numbers.push_back(system.is_rigid({i}) ? rigid++ : particle++);
  return numbers;
}

RecordingInfo recording_info(const Scene& scene, const std::vector<int>& recorded_number) {
  RecordingInfo info;
  info.taut = version;
  info.scene = scene.name;
  info.title = scene.title;
  const System& system = scene.system;
  const auto particles = static_cast<std::size_t>(system.body_count() - system.rigid_count());
  info.particle_count = static_cast<std::uint32_t>(particles);
  for (int i = 0; i < system.body_count(); ++i) {
    if (system.is_rigid({i}))
      info.rigid_names.push_back(system.body_name({i}));
    else if (particles <= most_particle_names)
      info.particle_names.push_back(system.body_name({i}));
  }
  for (const auto& batch : system.all_forces()) info.gravity += batch->uniform_acceleration();
  for (int i = 0; i < system.inputs().size(); ++i) info.inputs.push_back(system.inputs().info(i));
  info.visuals = scene.visuals;
  info.shapes = recorded_shapes(system, recorded_number);
  for (int i = 0; i < system.body_count(); ++i)
    if (system.is_rigid({i}))
      info.rigid_boxes.push_back(inertia_box(system.mass({i}), system.inertia({i})));
  info.surfaces = scene.surfaces;
  for (Surface& surface : info.surfaces)
    for (BodyId& vertex : surface.vertices)
      vertex.index = recorded_number[static_cast<std::size_t>(vertex.index)];
  LinkCollector(scene, recorded_number, info).add_all(system);
  return info;
}

std::string header_json(const RecordingInfo& info) {
  Json json{
      {"taut", info.taut}, {"scene", info.scene}, {"title", info.title}, {"method", info.method}};
  json["units"] = {{"length", "m"}, {"time", "s"}};
  json["gravity"] = vector_json(info.gravity);
  json["frame_interval"] = info.frame_interval;
  json["particles"] = {{"count", info.particle_count}, {"names", info.particle_names}};
  json["rigid"] = info.rigid_names;
  json["surfaces"] = Json::array();
  for (const Surface& surface : info.surfaces)
    json["surfaces"].push_back({{"name", surface.name},
                                {"vertices", surface.vertices.size()},
                                {"faces", surface.faces.size()}});
  if (!info.inputs.empty()) json["inputs"] = Json::array();
  for (const Input& input : info.inputs) json["inputs"].push_back(input_json(input));
  json["links"] = {{"count", info.links.size()}, {"types", info.link_types}};
  json["visuals"] = Json::array();
  std::unordered_map<std::string, int> number;
  if (!info.visuals.empty()) {
    int next = 0;
    for (const std::string& name : info.particle_names) number[name] = next++;
    next = static_cast<int>(info.particle_count);
    for (const std::string& name : info.rigid_names) number[name] = next++;
  }
  for (const Visual& visual : info.visuals) json["visuals"].push_back(visual_json(visual, number));
  if (!info.rigid_boxes.empty()) json["rigid_boxes"] = Json::array();
  for (const RecordingInfo::Box& box : info.rigid_boxes) {
    const Quat& q = box.orientation;
    json["rigid_boxes"].push_back(
        {{"size", vector_json(box.size)}, {"orientation", {q.w(), q.x(), q.y(), q.z()}}});
  }
  if (!info.shapes.empty()) json["shapes"] = Json::array();
  for (const RecordingInfo::Shape& shape : info.shapes) json["shapes"].push_back(shape_json(shape));
  return json.dump();
}

RecordingHeader parse_header(std::string_view json) {
  Node root;
  try {
    root = parse_json(json, "");
  } catch (const Error&) {
    refuse();
  }
  RecordingHeader header;
  RecordingInfo& info = header.info;
  info.taut = text(member(root, "taut"));
  info.scene = text(member(root, "scene"));
  info.title = text(member(root, "title"));
  info.method = text(member(root, "method"));
  info.gravity = vector(member(root, "gravity"));
  info.frame_interval = number(member(root, "frame_interval"));
  const Node& particles = member(root, "particles");
  const std::uint64_t particle_count = count(member(particles, "count"));
  info.particle_names = texts(member(particles, "names"));
  info.rigid_names = texts(member(root, "rigid"));
  constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
  if (particle_count > most || info.rigid_names.size() > most - particle_count)
    throw Error(fmt::format("too many bodies ({})", particle_count));
  info.particle_count = static_cast<std::uint32_t>(particle_count);
  if (!info.particle_names.empty() && info.particle_names.size() != particle_count)
    throw Error("not a name for every particle");
  for (const Node& surface : items(member(root, "surfaces"))) {
    info.surfaces.push_back({text(member(surface, "name")), {}, {}});
    header.vertex_counts.push_back(count(member(surface, "vertices")));
    header.face_counts.push_back(count(member(surface, "faces")));
  }
  if (const Node* all = root.find("inputs"))
    for (const Node& input : items(*all)) info.inputs.push_back(read_input(input));
  info.link_types = texts(member(member(root, "links"), "types"));
  for (const Node& visual : items(member(root, "visuals")))
    info.visuals.push_back(read_visual(visual, info));
  if (const Node* all = root.find("rigid_boxes")) {
    for (const Node& box : items(*all)) {
      const auto q = numbers<4>(member(box, "orientation"));
      info.rigid_boxes.push_back({vector(member(box, "size")), Quat(q[0], q[1], q[2], q[3])});
    }
    if (info.rigid_boxes.size() != info.rigid_names.size())
      throw Error("not a box for every rigid body");
  }
  if (const Node* all = root.find("shapes"))
    for (const Node& shape : items(*all)) info.shapes.push_back(read_shape(shape, info));
  return header;
}

}  // namespace taut::io::detail
