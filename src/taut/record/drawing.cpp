#include "taut/record/drawing.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace taut::io {
namespace {

using Shape = RecordingInfo::Shape;

constexpr int corners = 24, arcs = 6;                  // of a circle, and of a quarter of one
constexpr double ball_size = 0.012, rod_size = 0.004;  // radii, of the scene's size

constexpr Colour world_colour{0.725, 0.757, 0.796, 1};
/// Of bodies, in turn: calm, as in the viewer.
constexpr Colour body_colours[] = {{0.427, 0.561, 0.722, 1}, {0.827, 0.659, 0.451, 1},
                                   {0.525, 0.659, 0.525, 1}, {0.769, 0.510, 0.424, 1},
                                   {0.608, 0.549, 0.753, 1}, {0.373, 0.639, 0.651, 1}};

/// A point of an outline that is turned about the z axis.
struct Turned {
  double radius, z;
};
using Outline = std::vector<Turned>;

Mesh turned(const Outline& outline) {
  Mesh mesh;
  for (const Turned& ring : outline)
    for (int k = 0; k < corners; ++k) {
      const double angle = 2 * std::numbers::pi * k / corners;
      mesh.vertices.emplace_back(ring.radius * std::cos(angle), ring.radius * std::sin(angle),
                                 ring.z);
    }
  for (int ring = 0; ring + 1 < static_cast<int>(outline.size()); ++ring)
    for (int k = 0; k < corners; ++k) {
      const int a = ring * corners + k, b = ring * corners + (k + 1) % corners;
      mesh.faces.push_back({{a, b, b + corners, a + corners}});
    }
  return mesh;
}

/// A quarter of a circle, up to its top.
void add_arc(Outline& outline, double radius, double z, bool is_top) {
  for (int i = 0; i <= arcs; ++i) {
    const double angle = 0.5 * std::numbers::pi * (is_top ? i : i - arcs) / arcs;
    outline.push_back({radius * std::cos(angle), z + radius * std::sin(angle)});
  }
}

Mesh round_mesh(double radius, double half_length) {
  Outline outline;
  add_arc(outline, radius, -half_length, false);
  add_arc(outline, radius, half_length, true);
  return turned(outline);
}

Mesh box_mesh(const Vec3& half) {
  Mesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.emplace_back(i & 1 ? half.x() : -half.x(), i & 2 ? half.y() : -half.y(),
                               i & 4 ? half.z() : -half.z());
  mesh.faces = {{{0, 2, 3, 1}}, {{4, 5, 7, 6}}, {{0, 1, 5, 4}},
                {{2, 6, 7, 3}}, {{0, 4, 6, 2}}, {{1, 3, 7, 5}}};
  return mesh;
}

Mesh polygon_mesh(const std::vector<Vec3>& vertices, const std::vector<std::vector<int>>& faces) {
  Mesh mesh{vertices, {}};
  for (const std::vector<int>& face : faces)
    for (std::size_t k = 2; k < face.size(); ++k)
      mesh.faces.push_back({{face[0], face[k - 1], face[k], -1}});
  return mesh;
}

Shape shape_of(const Visual& visual, int body) {
  Shape shape;
  shape.body = body;
  shape.position = visual.position;
  shape.orientation = visual.orientation;
  if (visual.shape == Visual::Shape::sphere) {
    shape.type = "sphere";
    shape.radius = visual.size.x();
  } else if (visual.shape == Visual::Shape::capsule) {
    shape.type = "capsule";
    shape.radius = visual.size.x();
    shape.size = {0, 0, 0.5 * visual.size.z()};
  } else if (visual.shape == Visual::Shape::ellipsoid) {
    shape.type = "ellipsoid";
    shape.size = visual.size;
  } else {
    shape.type = visual.shape == Visual::Shape::box ? "box" : "cylinder";
    shape.size = visual.size;
    if (visual.shape == Visual::Shape::box) shape.size.head<2>() /= 2;
    shape.size.z() /= 2;
  }
  return shape;
}

class DrawingMaker {
 public:
  DrawingMaker(const RecordingInfo& info, double size)
      : info_(info), size_(size), is_drawn_(info.body_count(), false) {}

  Drawing make() {
    for (const Surface& surface : info_.surfaces)
      for (const BodyId vertex : surface.vertices)
        is_drawn_[static_cast<std::size_t>(vertex.index)] = true;
    const std::vector<bool> has_visuals = add_visuals();
    for (const Shape& shape : info_.shapes)
      if (shape.body < 0 || !has_visuals[static_cast<std::size_t>(shape.body)])
        add(shape, shape.name.empty() ? shape.type : shape.name,
            shape.body < 0 ? world_colour : colour_of(shape.body));
    add_inertia_boxes();
    for (std::uint32_t i = 0; i < info_.particle_count; ++i)
      if (!is_drawn_[i]) drawing_.balls.push_back(static_cast<int>(i));
    for (std::size_t i = 0; i < info_.links.size(); ++i) {
      const auto& [a, b, type] = info_.links[i];
      if (a.body != b.body || a.local != b.local) drawing_.rods.push_back(static_cast<int>(i));
    }
    drawing_.ball_radius = ball_size * size_;
    drawing_.rod_radius = rod_size * size_;
    return std::move(drawing_);
  }

 private:
  /// Bodies all of whose visuals can be drawn: a recording only has the names of meshes.
  std::vector<bool> add_visuals() {
    std::vector<bool> complete(info_.body_count(), false);
    if (info_.visuals.empty()) return complete;
    std::map<std::string, int> number;
    for (std::size_t i = 0; i < info_.rigid_names.size(); ++i)
      number[info_.rigid_names[i]] = static_cast<int>(info_.particle_count + i);
    std::map<int, bool> drawable;
    const auto body_of = [&](const Visual& visual) {
      const auto found = number.find(visual.body);
      return found == number.end() ? -1 : found->second;
    };
    for (const Visual& visual : info_.visuals) {
      bool& all = drawable.try_emplace(body_of(visual), true).first->second;
      all = all && visual.shape != Visual::Shape::mesh;
    }
    for (const Visual& visual : info_.visuals) {
      const int body = body_of(visual);
      if (body < 0 || !drawable[body]) continue;  // of the world, shapes are drawn
      add(shape_of(visual, body), "visual", visual.color);
      complete[static_cast<std::size_t>(body)] = true;
    }
    return complete;
  }
  void add_inertia_boxes() {
    for (std::size_t i = 0; i < info_.rigid_boxes.size(); ++i) {
      const int body = static_cast<int>(info_.particle_count + i);
      if (is_drawn_[static_cast<std::size_t>(body)]) continue;
      Shape box;
      box.body = body;
      box.type = "box";
      box.size = info_.rigid_boxes[i].size / 2;
      box.orientation = info_.rigid_boxes[i].orientation;
      add(std::move(box), "box", colour_of(body));
      drawing_.solids.back().is_inertia = true;
    }
  }
  void add(Shape shape, std::string name, const Colour& colour) {
    if (shape.body >= 0) is_drawn_[static_cast<std::size_t>(shape.body)] = true;
    // A plane has no end: as much of it as the scene needs.
    if (shape.type == "plane") shape.size = {size_, size_, 0};
    drawing_.solids.push_back({std::move(shape), std::move(name), false, colour});
  }
  static Colour colour_of(int body) {
    return body_colours[static_cast<std::size_t>(body) % std::size(body_colours)];
  }

  const RecordingInfo& info_;
  const double size_;
  std::vector<bool> is_drawn_;  // per body
  Drawing drawing_;
};

}  // namespace

Drawing drawing_of(const RecordingInfo& info, double size) {
  return DrawingMaker(info, size).make();
}

std::string body_name(const RecordingInfo& info, int body) {
  const std::size_t i = static_cast<std::size_t>(body);
  if (i >= info.particle_count) return info.rigid_names[i - info.particle_count];
  return i < info.particle_names.size() ? info.particle_names[i] : fmt::format("body{}", i);
}

Mesh mesh_of(const Shape& shape) {
  const double r = shape.radius;
  const Vec3& s = shape.size;
  if (!shape.vertices.empty()) return polygon_mesh(shape.vertices, shape.faces);
  if (shape.type == "box") return box_mesh(Vec3(s.array() + r));
  if (shape.type == "sphere") return round_mesh(r, 0);
  if (shape.type == "capsule") return round_mesh(r, s.z());
  if (shape.type == "cylinder")
    return turned(
        {{0, -s.z() - r}, {s.x() + r, -s.z() - r}, {s.x() + r, s.z() + r}, {0, s.z() + r}});
  if (shape.type == "cone")
    return turned({{0, -s.z() - r}, {s.x() + r, -s.z() - r}, {0, s.z() + r}});
  if (shape.type == "ellipsoid") {
    Mesh mesh = round_mesh(1, 0);
    for (Vec3& vertex : mesh.vertices) vertex = vertex.cwiseProduct(Vec3(s.array() + r));
    return mesh;
  }
  return {{{-s.x(), -s.y(), 0}, {s.x(), -s.y(), 0}, {s.x(), s.y(), 0}, {-s.x(), s.y(), 0}},
          {{{0, 1, 2, 3}}}};
}

Mesh ball_mesh(double radius) { return round_mesh(radius, 0); }

Mesh rod_mesh() { return turned({{1, 0}, {1, 1}}); }

}  // namespace taut::io
