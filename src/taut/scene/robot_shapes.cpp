#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "taut/base/error.hpp"
#include "taut/mesh/mesh_file.hpp"
#include "taut/robot/robot_files.hpp"
#include "taut/scene/mesh_pieces.hpp"
#include "taut/scene/robot_shapes_internal.hpp"
#include "taut/scene/scene_reader_internal.hpp"
#include "taut/text/at.hpp"

namespace taut::io::detail {
namespace {

collision::Shape shape_of(const LinkShape& shape) {
  const Visual& element = shape.visual;
  if (shape.is_plane) return collision::plane();
  if (!shape.points.empty()) return collision::convex_hull(shape.points);
  switch (element.shape) {
    case Visual::Shape::box:
      return collision::box(0.5 * element.size);
    case Visual::Shape::cylinder:
      return collision::cylinder(element.size[0], 0.5 * element.size[2]);
    case Visual::Shape::sphere:
      return collision::sphere(element.size[0]);
    case Visual::Shape::capsule:
      return collision::capsule(0.5 * element.size[2], element.size[0]);
    case Visual::Shape::ellipsoid:
      return collision::ellipsoid(element.size);
    case Visual::Shape::mesh:
      break;
  }
  if (element.folder.empty())
    throw Error(fmt::format("{}: found no folder to look for it in", shown_file(element.mesh)));
  Mesh mesh = read_mesh(robot_file_path(element.mesh, element.folder));
  for (Vec3& vertex : mesh.vertices) vertex = vertex.cwiseProduct(element.size);
  // On a body the hull: what moves has convex shapes.
  if (shape.is_hull || !element.body.empty()) return collision::convex_hull(mesh.vertices);
  std::vector<std::array<int, 3>> triangles = triangles_of(mesh);
  if (element.size.prod() < 0)  // mirrored: inside out
    for (auto& triangle : triangles) std::swap(triangle[1], triangle[2]);
  return collision::triangle_mesh(std::move(mesh.vertices), std::move(triangles));
}

}  // namespace

std::vector<collision::BodyShape> robot_shapes(const System& system,
                                               const std::vector<LinkShape>& elements,
                                               const collision::Surface& surface,
                                               const std::string& robot,
                                               std::vector<std::string>& ignored) {
  std::vector<collision::BodyShape> shapes;
  for (const LinkShape& element : elements) {
    collision::BodyShape& shape = shapes.emplace_back();
    try {
      shape.shape = shape_of(element);
    } catch (const Error& error) {
      if (element.visual.shape != Visual::Shape::mesh) throw;
      ignored.push_back(fmt::format("{}: a <collision> element: {}", robot, error.what()));
      shapes.pop_back();
      continue;
    }
    const std::string& body = element.visual.body;
    shape.body = body.empty() ? world_body : *system.find_body(body);
    shape.pose = {element.visual.position, element.visual.orientation};
    shape.surface = surface;
    if (element.friction) shape.surface.friction = *element.friction;
    if (element.restitution) shape.surface.restitution = *element.restitution;
    shape.surface.spinning_friction =
        std::max(surface.spinning_friction, element.spinning_friction);
    shape.surface.rolling_friction = std::max(surface.rolling_friction, element.rolling_friction);
    shape.kinds = element.kinds;
    shape.meets = element.meets;
    shape.group = element.group;
    shape.name = body.empty() && element.name.empty() ? robot : element.name;
  }
  return shapes;
}

// Where nothing else has a shape, there is nothing that a robot could touch.
void SceneReader::add_robot_shapes() {
  const bool has_others = contacts_ || robot_shapes_.size() > 1;
  int group = std::numeric_limits<int>::max();  // far from those that scenes name
  for (RobotShapes& robot : robot_shapes_) {
    if (!has_others && !robot.touch_each_other) {
      scene_.ignored.push_back(fmt::format("{}: {} <collision> elements: nothing else has a shape",
                                           robot.robot, robot.shapes.size()));
      continue;
    }
    if (!contacts_) contacts_ = std::make_unique<collision::ShapeContacts>();
    for (collision::BodyShape& shape : robot.shapes) {
      if (!robot.touch_each_other) shape.group = group;
      contacts_->add(std::move(shape));
    }
    for (const auto& [a, b] : robot.untouched) contacts_->ignore(a, b);
    --group;
  }
}

}  // namespace taut::io::detail
