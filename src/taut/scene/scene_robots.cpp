// Robots in a scene: the list "robots".
#include "taut/robot/robot_builder.hpp"
#include "taut/scene/robot_file_internal.hpp"
#include "taut/scene/robot_shapes_internal.hpp"
#include "taut/scene/scene_fields_internal.hpp"
#include "taut/scene/scene_reader_internal.hpp"

namespace taut::io::detail {

void SceneReader::read_robot(const At& at) {
  const auto fields = reader_.read_object<RobotFields>(at, {"name", "joints"});
  const At file = at.member(robot_key(at));
  const std::string& file_name = at.has("file") ? fields.file : fields.urdf;
  if (file_name.empty()) fail_found(file, "the name of a URDF, MJCF or SDF file");
  const Robot robot = with_place(file, [&] { return load_robot(file_name, folder_); });

  RobotOptions options;
  options.base = fields.base;
  options.root.translation() = fields.position;
  options.root.linear() = fields.orientation.rotation.toRotationMatrix();
  std::string name;
  if (at.has("name") && !(at.member("name")->text() && at.member("name")->text()->empty()))
    name = scope_.name_text(at.member("name"));
  if (!name.empty()) options.prefix = name + "/";
  options.positions = default_positions(robot);
  if (at.has("joints")) options.positions = read_joint_positions(at.member("joints"), robot);
  if (options.base == RobotBase::floating && !can_float(robot))
    fail(at.member("base"),
         fmt::format("found floating with the root link {}, which is the world or has no inertia, "
                     "expected fixed",
                     in_quotes(robot.links[static_cast<std::size_t>(robot.root)].name)));

  AddedRobot added = with_place(at, [&] { return add_robot(scene_.system, robot, options); });
  for (std::string& constraint : added.constraints)
    if (!constraint_names_.insert(constraint).second)
      fail(at, fmt::format("found the joint {} again, expected a name that no other robot has",
                           in_quotes(constraint)));
  links_.merge(added.links);
  scene_.visuals.insert(scene_.visuals.end(), added.visuals.begin(), added.visuals.end());
  const std::string shown = name.empty() ? printable(file_name) : name;
  const auto note = [&](std::vector<std::string>& all, const std::vector<std::string>& lines) {
    for (const std::string& line : lines) all.push_back(fmt::format("{}: {}", shown, line));
  };
  note(scene_.ignored, robot.ignored);
  note(scene_.ignored, added.ignored);
  note(scene_.warnings, robot.warnings);
  note(scene_.warnings, added.warnings);
  const bool as_in_file = fields.collision == RobotCollision::file;
  RobotShapes shapes{
      shown,
      fields.collision == RobotCollision::all || (as_in_file && robot.touches_itself),
      {},
      std::move(added.untouched)};
  const collision::Surface skin = surface(at, fields.friction, fields.restitution, {});
  if (fields.collision != RobotCollision::nothing)
    shapes.shapes = with_place(file, [&] {
      return robot_shapes(scene_.system, added.collisions, skin, shown, scene_.ignored);
    });
  if (fields.collision == RobotCollision::all)
    for (collision::BodyShape& shape : shapes.shapes) shape.group = 0;
  if (!shapes.shapes.empty()) robot_shapes_.push_back(std::move(shapes));
}

/// "file", or "urdf" as in older scenes.
const char* SceneReader::robot_key(const At& at) const {
  const bool has_file = at.has("file");
  if (has_file && at.has("urdf"))
    fail(at.member("urdf"), "found \"file\" as well, expected one of the two");
  if (!has_file && !at.has("urdf"))
    fail(at, "found no \"file\", expected a string: the robot's file");
  return has_file ? "file" : "urdf";
}

std::vector<double> SceneReader::read_joint_positions(const At& at, const Robot& robot) {
  reader_.require_object(at);
  std::vector<std::string_view> names;
  for (const RobotJoint& joint : robot.joints)
    if (joint.has_position()) names.push_back(joint.name);
  reader_.refuse_unknown_keys(at, names);
  std::vector<double> positions = default_positions(robot);
  for (std::size_t i = 0; i < robot.joints.size(); ++i) {
    const RobotJoint& joint = robot.joints[i];
    if (!at.has(joint.name)) continue;
    const At member = at.member(joint.name);
    if (joint.mimic >= 0)
      fail(member,
           fmt::format("found a joint that follows {}, expected that one",
                       in_quotes(robot.joints[static_cast<std::size_t>(joint.mimic)].name)));
    reader_.read(member, Range::any, positions[i]);
    if (positions[i] < joint.lower || positions[i] > joint.upper)
      fail(member, fmt::format("found {}, expected a number from {} to {}, the joint's limits",
                               positions[i], joint.lower, joint.upper));
  }
  follow(robot, positions);
  return positions;
}

}  // namespace taut::io::detail
