#include <fmt/core.h>

#include <filesystem>
#include <limits>

#include "taut/base/error.hpp"
#include "taut/mesh/mesh_file.hpp"
#include "taut/scene/robot_shapes_internal.hpp"
#include "taut/scene/scene_reader_internal.hpp"
#include "taut/text/at.hpp"

namespace taut::io::detail {
namespace {

namespace fs = std::filesystem;

/// Where a robot's file has its mesh: "package://name/…" is looked for in the folders above it.
fs::path mesh_path(const Visual& element) {
  constexpr std::string_view package = "package://", file = "file://";
  if (element.mesh.starts_with(file)) return element.mesh.substr(file.size());
  const fs::path folder = element.folder;
  if (!element.mesh.starts_with(package)) return folder / element.mesh;
  const std::string in_package = element.mesh.substr(package.size());
  const std::string inside = in_package.substr(std::min(in_package.find('/'), in_package.size()));
  std::error_code no_throw;
  for (fs::path above = fs::absolute(folder, no_throw); !element.folder.empty();
       above = above.parent_path()) {
    if (fs::exists(above / in_package, no_throw)) return above / in_package;
    if (fs::exists(above / inside.substr(1), no_throw)) return above / inside.substr(1);
    if (above == above.parent_path()) break;
  }
  return folder / in_package;
}

collision::Shape shape_of(const Visual& element) {
  switch (element.shape) {
    case Visual::Shape::box:
      return collision::box(0.5 * element.size);
    case Visual::Shape::cylinder:
      return collision::cylinder(element.size[0], 0.5 * element.size[2]);
    case Visual::Shape::sphere:
      return collision::sphere(element.size[0]);
    case Visual::Shape::mesh:
      break;
  }
  if (element.folder.empty())
    throw Error(fmt::format("{}: found no folder to look for it in", shown_file(element.mesh)));
  std::vector<Vec3> vertices = read_mesh(mesh_path(element)).vertices;
  for (Vec3& vertex : vertices) vertex = vertex.cwiseProduct(element.size);
  return collision::convex_hull(vertices);
}

}  // namespace

std::vector<collision::BodyShape> robot_shapes(const System& system,
                                               const std::vector<Visual>& elements,
                                               const collision::Surface& surface,
                                               const std::string& robot,
                                               std::vector<std::string>& ignored) {
  std::vector<collision::BodyShape> shapes;
  for (const Visual& element : elements) {
    collision::BodyShape& shape = shapes.emplace_back();
    try {
      shape.shape = shape_of(element);
    } catch (const Error& error) {
      if (element.shape != Visual::Shape::mesh) throw;
      ignored.push_back(fmt::format("{}: a <collision> element: {}", robot, error.what()));
      shapes.pop_back();
      continue;
    }
    shape.body = element.body.empty() ? world_body : *system.find_body(element.body);
    shape.pose = {element.position, element.orientation};
    shape.surface = surface;
    if (element.body.empty()) shape.name = robot;
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
    --group;
  }
}

}  // namespace taut::io::detail
