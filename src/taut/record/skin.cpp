#include "taut/record/skin.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "taut/base/symmetric_eigenvalues.hpp"
#include "taut/record/drawing.hpp"

namespace taut::io {
namespace {

SkinPart surface_part(const Surface& surface) {
  SkinPart part{surface.name, {}, surface.faces};
  for (const BodyId vertex : surface.vertices)
    part.vertices.push_back({Point(vertex), Vec3::Zero()});
  return part;
}

SkinPart solid_part(const RecordingInfo& info, const DrawnSolid& solid) {
  const auto& [shape, own, is_inertia, colour] = solid;
  std::string name = own;
  if (shape.body >= 0) name = body_name(info, shape.body) + (is_inertia ? "" : "/" + own);
  const Mesh mesh = mesh_of(shape);
  SkinPart part{std::move(name), {}, mesh.faces};
  for (const Vec3& vertex : mesh.vertices)
    part.vertices.push_back(
        {Point(BodyId{shape.body}, shape.position + shape.orientation * vertex), Vec3::Zero()});
  return part;
}

/// Three sides from one end to the other; seen from anywhere, one of them is wide enough.
SkinPart rod_part(const RecordingInfo& info, int link, double radius) {
  SkinPart part{fmt::format("link{}", link), {}, {}};
  const auto& [a, b, type] = info.links[static_cast<std::size_t>(link)];
  for (const Point& end : {a, b})
    for (int k = 0; k < 3; ++k)
      for (const double side : {-1.0, 1.0})
        part.vertices.push_back({end, side * radius * Vec3::Unit(k)});
  for (int k = 0; k < 6; k += 2) part.faces.push_back({{k, k + 1, k + 7, k + 6}});
  return part;
}

}  // namespace

std::vector<SkinPart> skin_of(const RecordingInfo& info, double size) {
  const Drawing drawing = drawing_of(info, size);
  std::vector<SkinPart> parts;
  for (const Surface& surface : info.surfaces) parts.push_back(surface_part(surface));
  for (const DrawnSolid& solid : drawing.solids) parts.push_back(solid_part(info, solid));
  const Mesh ball = ball_mesh(drawing.ball_radius);
  for (const int body : drawing.balls) {
    SkinPart part{body_name(info, body), {}, ball.faces};
    for (const Vec3& vertex : ball.vertices) part.vertices.push_back({Point(BodyId{body}), vertex});
    parts.push_back(std::move(part));
  }
  for (const int link : drawing.rods) parts.push_back(rod_part(info, link, drawing.rod_radius));
  return parts;
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
