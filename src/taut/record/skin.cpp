#include "taut/record/skin.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "taut/base/symmetric_eigenvalues.hpp"

namespace taut::io {
namespace {

constexpr int corners = 24, arcs = 6;        // of a circle, and of a quarter of one
constexpr double ball = 0.012, rod = 0.004;  // radii, of the scene's size

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

Mesh shape_mesh(const RecordingInfo::Shape& shape, double size) {
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
  // A plane has no end: as much of it as the scene needs.
  return {{{-size, -size, 0}, {size, -size, 0}, {size, size, 0}, {-size, size, 0}},
          {{{0, 1, 2, 3}}}};
}

class SkinMaker {
 public:
  SkinMaker(const RecordingInfo& info, double size)
      : info_(info), size_(size), is_drawn_(info.body_count(), false) {}

  std::vector<SkinPart> make() {
    for (const Surface& surface : info_.surfaces) add_surface(surface);
    for (const RecordingInfo::Shape& shape : info_.shapes) {
      const std::string own = shape.name.empty() ? shape.type : shape.name;
      add(shape.body < 0 ? own : name_of(shape.body) + "/" + own, shape.body,
          shape_mesh(shape, size_), shape.position, shape.orientation);
    }
    for (std::size_t i = 0; i < info_.rigid_boxes.size(); ++i) {
      const int body = static_cast<int>(info_.particle_count + i);
      const RecordingInfo::Box& box = info_.rigid_boxes[i];
      if (!is_drawn_[static_cast<std::size_t>(body)])
        add(name_of(body), body, box_mesh(box.size / 2), Vec3::Zero(), box.orientation);
    }
    for (std::uint32_t i = 0; i < info_.particle_count; ++i)
      if (!is_drawn_[i]) add_standing(name_of(static_cast<int>(i)), static_cast<int>(i));
    for (const RecordingInfo::Link& link : info_.links) add_rod(link);
    return std::move(parts_);
  }

 private:
  std::string name_of(int body) const {
    const std::size_t i = static_cast<std::size_t>(body);
    if (i >= info_.particle_count) return info_.rigid_names[i - info_.particle_count];
    return i < info_.particle_names.size() ? info_.particle_names[i] : fmt::format("body{}", i);
  }
  void add_surface(const Surface& surface) {
    SkinPart part{surface.name, {}, surface.faces};
    for (const BodyId vertex : surface.vertices) {
      part.vertices.push_back({Point(vertex), Vec3::Zero()});
      is_drawn_[static_cast<std::size_t>(vertex.index)] = true;
    }
    parts_.push_back(std::move(part));
  }
  void add(std::string name, int body, const Mesh& mesh, const Vec3& position,
           const Quat& orientation) {
    SkinPart part{std::move(name), {}, mesh.faces};
    for (const Vec3& vertex : mesh.vertices)
      part.vertices.push_back({Point(BodyId{body}, position + orientation * vertex), Vec3::Zero()});
    if (body >= 0) is_drawn_[static_cast<std::size_t>(body)] = true;
    parts_.push_back(std::move(part));
  }
  void add_standing(std::string name, int body) {
    const Mesh mesh = round_mesh(ball * size_, 0);
    SkinPart part{std::move(name), {}, mesh.faces};
    for (const Vec3& vertex : mesh.vertices) part.vertices.push_back({Point(BodyId{body}), vertex});
    parts_.push_back(std::move(part));
  }
  /// Three sides from one end to the other; seen from anywhere, one of them is wide enough.
  void add_rod(const RecordingInfo::Link& link) {
    if (link.a.body == link.b.body && link.a.local == link.b.local) return;
    SkinPart part{fmt::format("link{}", &link - info_.links.data()), {}, {}};
    for (const Point& end : {link.a, link.b})
      for (int k = 0; k < 3; ++k)
        for (const double side : {-1.0, 1.0})
          part.vertices.push_back({end, side * rod * size_ * Vec3::Unit(k)});
    for (int k = 0; k < 6; k += 2) part.faces.push_back({{k, k + 1, k + 7, k + 6}});
    parts_.push_back(std::move(part));
  }

  const RecordingInfo& info_;
  const double size_;
  std::vector<bool> is_drawn_;  // per body
  std::vector<SkinPart> parts_;
};

}  // namespace

std::vector<SkinPart> skin_of(const RecordingInfo& info, double size) {
  return SkinMaker(info, size).make();
}

RecordingInfo::Box inertia_box(double mass, const Mat3& inertia) {
  Mat3 moments = inertia, axes = Mat3::Identity();
  diagonalize(moments.data(), axes.data(), 3);
  if (axes.determinant() < 0) axes.col(0) = -axes.col(0);
  RecordingInfo::Box box;
  for (int k = 0; k < 3; ++k)
    box.size[k] = std::sqrt(std::max(0.0, 6 / mass * (moments.trace() - 2 * moments(k, k))));
  box.orientation = Quat(axes);
  return box;
}

}  // namespace taut::io
