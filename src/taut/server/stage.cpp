#include "taut/server/stage.hpp"

#include <algorithm>
#include <cmath>

#include "taut/forces/spring.hpp"
#include "taut/record/input_json.hpp"
#include "taut/record/recording_internal.hpp"
#include "taut/server/frame_bytes.hpp"
#include "taut/server/wires.hpp"

namespace taut::server {

using io::Json;

io::Json vector_json(const Vec3& v) { return Json::array({v.x(), v.y(), v.z()}); }

io::Json parameter_json(const io::SceneParameter& parameter) {
  Json json{{"name", parameter.name},
            {"unit", parameter.unit},
            {"description", parameter.description},
            {"value", parameter.value}};
  if (parameter.min) json["min"] = *parameter.min;
  if (parameter.max) json["max"] = *parameter.max;
  if (parameter.integer) json["integer"] = true;
  return json;
}

namespace {

Json inputs_json(const Inputs& inputs) {
  Json all = Json::array();
  for (int i = 0; i < inputs.size(); ++i) all.push_back(io::input_json(inputs.info(i)));
  return all;
}

constexpr std::size_t most_inline_vertices = 64;  // of shapes; more come as binary

Json quaternion_json(const Quat& q) { return Json::array({q.w(), q.x(), q.y(), q.z()}); }

struct Box {
  Vec3 min = Vec3::Constant(INFINITY), max = Vec3::Constant(-INFINITY);

  void add(const Vec3& place, double radius = 0) {
    if (!place.allFinite()) return;
    min = min.cwiseMin(Vec3(place.array() - radius));
    max = max.cwiseMax(Vec3(place.array() + radius));
  }
};

/// How far a shape reaches from its origin; 0 for a plane, which has no end.
double reach(const io::RecordingInfo::Shape& shape) {
  if (shape.type == "plane") return 0;
  double farthest = shape.size.norm() + shape.radius;
  for (const Vec3& vertex : shape.vertices) farthest = std::max(farthest, vertex.norm());
  return farthest;
}

Json box_json(const io::RecordingInfo::Box& box) {
  return {{"size", vector_json(box.size)}, {"orientation", quaternion_json(box.orientation)}};
}

class StageWriter {
 public:
  StageWriter(const io::RecordingInfo& info, const StageFacts& facts)
      : info_(info), generation_(facts.generation), json_(facts.more) {}

  Json& json() { return json_; }
  /// Positions of the bodies at the start, by number.
  void add_common(const std::vector<Vec3>& places, const std::vector<Quat>& orientations) {
    const double gravity = info_.gravity.norm();
    json_["gravity"] = vector_json(info_.gravity);
    json_["up"] = vector_json(gravity > 0 ? Vec3(-info_.gravity / gravity) : Vec3(Vec3::UnitY()));
    Box box;
    for (const Vec3& place : places) box.add(place);
    for (const io::RecordingInfo::Shape& shape : info_.shapes) {
      if (shape.type == "plane") continue;
      box.add(in_world(shape.body, shape.position, places, orientations), reach(shape));
    }
    for (const io::RecordingInfo::Link& link : info_.links)
      for (const Point& end : {link.a, link.b})
        box.add(in_world(end.body.index, end.local, places, orientations));
    if (!(box.min.x() <= box.max.x())) box.add(Vec3::Zero(), 1);
    json_["box"] = {{"min", vector_json(box.min)}, {"max", vector_json(box.max)}};
    const double size = (box.max - box.min).norm();
    json_["particles"] = {{"count", info_.particle_count},
                          {"names", info_.particle_names},
                          {"radius", 0.012 * (size > 0 ? size : 1)}};
    add_shapes();
    add_visuals();
    add_surfaces();
    add_links();
  }
  StageMessages finish() { return {json_.dump(), std::move(frames_)}; }

 private:
  Vec3 in_world(int body, const Vec3& local, const std::vector<Vec3>& places,
                const std::vector<Quat>& orientations) const {
    if (body < 0) return local;
    const int rigid = body - static_cast<int>(info_.particle_count);
    const Vec3& place = places[static_cast<std::size_t>(body)];
    if (rigid < 0) return place;
    return place + orientations[static_cast<std::size_t>(rigid)] * local;
  }
  FrameHeader header(FrameKind kind, std::size_t number) const {
    FrameHeader header;
    header.kind = kind;
    header.generation = generation_;
    header.number = static_cast<std::uint32_t>(number);
    return header;
  }
  /// The number of the frame.
  std::size_t add_mesh(const std::vector<Vec3>& vertices,
                       const std::vector<std::vector<int>>& faces) {
    FrameBytes out(header(FrameKind::mesh, meshes_));
    out.section(1, SectionNumbers::float32, 3, vertices.size());
    for (const Vec3& vertex : vertices) out.floats(vertex);
    std::uint64_t triangles = 0;
    for (const std::vector<int>& face : faces) triangles += face.size() < 3 ? 0 : face.size() - 2;
    out.section(2, SectionNumbers::mixed, 3, triangles);
    for (const std::vector<int>& face : faces)
      for (std::size_t k = 2; k < face.size(); ++k)
        for (const std::size_t corner : {std::size_t{0}, k - 1, k})
          out.append(static_cast<std::uint32_t>(face[corner]));
    frames_.push_back(out.take());
    return meshes_++;
  }
  void add_shapes() {
    Json all = Json::array();
    for (const io::RecordingInfo::Shape& shape : info_.shapes) {
      Json json{{"body", shape.body},
                {"type", shape.type},
                {"size", vector_json(shape.size)},
                {"radius", shape.radius},
                {"position", vector_json(shape.position)},
                {"orientation", quaternion_json(shape.orientation)}};
      if (!shape.name.empty()) json["name"] = shape.name;
      if (shape.vertices.size() > most_inline_vertices) {
        json["mesh"] = add_mesh(shape.vertices, shape.faces);
      } else if (!shape.vertices.empty()) {
        for (const Vec3& vertex : shape.vertices) json["vertices"].push_back(vector_json(vertex));
        for (const std::vector<int>& face : shape.faces) {
          Json corners = Json::array();
          for (const int corner : face) corners.push_back(corner);
          json["faces"].push_back(std::move(corners));
        }
      }
      all.push_back(std::move(json));
    }
    json_["shapes"] = std::move(all);
  }
  void add_visuals() {
    constexpr std::string_view names[] = {"box",  "cylinder", "sphere",
                                          "mesh", "capsule",  "ellipsoid"};
    Json all = Json::array();
    for (const io::Visual& visual : info_.visuals) {
      Json json{{"body", number_of(visual.body)},
                {"shape", names[static_cast<std::size_t>(visual.shape)]},
                {"size", vector_json(visual.size)},
                {"position", vector_json(visual.position)},
                {"orientation", quaternion_json(visual.orientation)},
                {"color", std::vector<double>(visual.color.begin(), visual.color.end())}};
      all.push_back(std::move(json));
    }
    json_["visuals"] = std::move(all);
  }
  int number_of(const std::string& body) const {
    const auto find = [&](const std::vector<std::string>& names) {
      const auto at = std::find(names.begin(), names.end(), body);
      return at == names.end() ? -1 : static_cast<int>(at - names.begin());
    };
    if (const int rigid = find(info_.rigid_names); rigid >= 0)
      return static_cast<int>(info_.particle_count) + rigid;
    return body.empty() ? -1 : find(info_.particle_names);
  }
  void add_surfaces() {
    Json all = Json::array();
    for (const Surface& surface : info_.surfaces) {
      all.push_back({{"name", surface.name},
                     {"vertices", surface.vertices.size()},
                     {"faces", surface.faces.size()}});
      FrameBytes out(header(FrameKind::surface, &surface - info_.surfaces.data()));
      out.section(1, SectionNumbers::mixed, 1, surface.vertices.size());
      for (const BodyId vertex : surface.vertices)
        out.append(static_cast<std::uint32_t>(vertex.index));
      out.section(2, SectionNumbers::mixed, 4, surface.faces.size());
      for (const Face& face : surface.faces)
        for (const int vertex : face.vertex) out.append(static_cast<std::int32_t>(vertex));
      frames_.push_back(out.take());
    }
    json_["surfaces"] = std::move(all);
  }
  void add_links() {
    json_["links"] = {{"count", info_.links.size()}, {"types", info_.link_types}};
    if (info_.links.empty()) return;
    FrameBytes out(header(FrameKind::links, 0));
    out.section(1, SectionNumbers::mixed, 9, info_.links.size());
    for (const io::RecordingInfo::Link& link : info_.links) {
      for (const Point& end : {link.a, link.b}) {
        out.append(static_cast<std::int32_t>(end.body.index));
        out.floats(end.local);
      }
      out.append(link.type);
    }
    frames_.push_back(out.take());
  }

  const io::RecordingInfo& info_;
  const std::uint32_t generation_;
  Json json_;
  std::vector<std::string> frames_;
  std::size_t meshes_ = 0;
};

Json point_json(const Point& point, const BodyOrder& order) {
  return {{"body", order.of(point.body)}, {"at", vector_json(point.local)}};
}

/// The axis of the joint's first coordinate, in b's frame; null where it has none.
Json joint_axis(const Joint& joint, const Pose& pose) {
  if (joint.coordinates.empty()) return nullptr;
  const Coordinate& first = joint.coordinates.front().coordinate;
  const Vec3 axis = first.is_turn() ? pose.at(first.anchors[0]).cross(pose.at(first.anchors[1]))
                                    : pose.at(first.anchors[1]);
  if (joint.b.body.is_world()) return vector_json(axis);
  const int rigid = pose.slots[joint.b.body.index].rigid;
  if (rigid < 0) return vector_json(axis);
  return vector_json(pose.inverses[static_cast<std::size_t>(rigid)] * axis);
}

Json joints_json(const System& system, const BodyOrder& order, const Pose& pose) {
  Json all = Json::array();
  for (const Joint& joint : system.joints()) {
    Json coordinates = Json::array();
    for (const JointCoordinate& each : joint.coordinates)
      coordinates.push_back(
          {{"name", each.name}, {"unit", each.coordinate.is_turn() ? "rad" : "m"}});
    all.push_back({{"name", joint.name},
                   {"type", joint.type},
                   {"a", point_json(joint.a, order)},
                   {"b", point_json(joint.b, order)},
                   {"axis", joint_axis(joint, pose)},
                   {"coordinates", std::move(coordinates)}});
  }
  return all;
}

Json constraints_json(const System& system, const BodyOrder& order) {
  Json all = Json::array();
  if (static_cast<std::size_t>(system.constraint_count()) > most_listed) return all;
  std::vector<Anchor> anchors;
  for (const auto& batch : system.constraints()) {
    anchors.resize(static_cast<std::size_t>(batch->anchors_per_constraint()));
    for (int i = 0; i < batch->size(); ++i) {
      batch->anchors(i, anchors);
      std::vector<int> bodies;
      for (const Anchor& anchor : anchors) {
        const int number = order.of(anchor.body);
        if (std::find(bodies.begin(), bodies.end(), number) == bodies.end())
          bodies.push_back(number);
      }
      Json numbers = Json::array();
      for (const int number : bodies) numbers.push_back(number);
      Json json{{"name", batch->name(i)},
                {"type", batch->type()},
                {"bodies", std::move(numbers)},
                {"unit", batch->unit()}};
      if (batch->type() == "pin") json["pin"] = true;
      all.push_back(std::move(json));
    }
  }
  return all;
}

}  // namespace

std::shared_ptr<const Frame> make_frame(const io::Scene& scene) {
  auto frame = std::make_shared<Frame>();
  const System& system = scene.system;
  frame->order = BodyOrder(system);
  const auto add = [&](std::span<const Anchor> ends, Edge edge) {
    for (const Anchor& end : ends)
      if (end.is_direction || end.body.is_world() || system.is_rigid(end.body)) return;
    if (!(edge.length > 0)) return;
    edge.a = frame->order.of(ends[0].body);
    edge.b = frame->order.of(ends[1].body);
    frame->edges.push_back(edge);
  };
  int row = 0;
  std::array<Anchor, 2> ends;
  for (const auto& batch : system.constraints()) {
    const int rows = batch->rows_per_constraint();
    if (batch->anchors_per_constraint() == 2 && rows == 1)
      for (int i = 0; i < batch->size(); ++i) {
        batch->anchors(i, ends);
        add(ends, {0, 0, batch->natural_length(i), row + i, 0});
      }
    row += rows * batch->size();
  }
  for (const auto& batch : system.all_forces())
    if (batch->type() == Spring::type)
      for (int i = 0; i < batch->size(); ++i) {
        const Spring& spring = *static_cast<const Spring*>(batch->object(i));
        ends = {spring.a, spring.b};
        add(ends, {0, 0, spring.length, -1, spring.stiffness});
      }
  return frame;
}

StageMessages describe_stage(const io::Scene& scene, const StageFacts& facts) {
  const System& system = scene.system;
  const BodyOrder order(system);
  const io::RecordingInfo info = io::detail::recording_info(scene, order.number);
  StageWriter writer(info, facts);
  Json& json = writer.json();
  json["kind"] = "simulation";
  json["name"] = scene.name;
  json["title"] = scene.title;
  json["description"] = scene.description;
  json["duration"] = scene.duration;
  Json parameters = Json::array();
  for (const io::SceneParameter& parameter : scene.parameters)
    parameters.push_back(parameter_json(parameter));
  json["parameters"] = std::move(parameters);
  json["inputs"] = inputs_json(system.inputs());

  const State start = system.initial_state();
  const Pose pose(system, start.q);
  std::vector<Vec3> places;
  std::vector<Quat> orientations;
  Json rigid = Json::array();
  for (const BodyId body : order.bodies) {
    const int q = system.slot(body).q;
    places.push_back(start.q.segment<3>(q));
    if (!system.is_rigid(body)) continue;
    orientations.emplace_back(start.q[q + 3], start.q[q + 4], start.q[q + 5], start.q[q + 6]);
    rigid.push_back({{"name", system.body_name(body)},
                     {"mass", system.mass(body)},
                     {"box", box_json(info.rigid_boxes[orientations.size() - 1])}});
  }
  json["rigid"] = std::move(rigid);
  json["joints"] = joints_json(system, order, pose);
  json["constraints"] = constraints_json(system, order);
  json["hands"] = hands_json(scene, order);
  json["curves"] = wires_json(system, order, spread(system, start));
  writer.add_common(places, orientations);
  return writer.finish();
}

StageMessages describe_stage(const io::RecordingInfo& info, const io::RecordedFrame& start,
                             const StageFacts& facts) {
  StageWriter writer(info, facts);
  Json& json = writer.json();
  json["kind"] = "recording";
  json["name"] = info.scene;
  json["title"] = info.title;
  json["description"] = "";
  json["parameters"] = json["inputs"] = json["joints"] = json["constraints"] = json["curves"] =
      json["hands"] = Json::array();
  for (const Input& input : info.inputs) json["inputs"].push_back(io::input_json(input));
  Json rigid = Json::array();
  for (std::size_t i = 0; i < info.rigid_names.size(); ++i) {
    Json body{{"name", info.rigid_names[i]}};
    if (i < info.rigid_boxes.size()) body["box"] = box_json(info.rigid_boxes[i]);
    rigid.push_back(std::move(body));
  }
  json["rigid"] = std::move(rigid);
  std::vector<Vec3> places;
  std::vector<Quat> orientations;
  for (const auto& place : start.positions) places.push_back(place.cast<double>());
  for (const auto& q : start.orientations) orientations.push_back(q.cast<double>());
  writer.add_common(places, orientations);
  return writer.finish();
}

}  // namespace taut::server
