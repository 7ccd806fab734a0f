#include "taut/robot/robot_builder.hpp"

#include <fmt/core.h>

#include "taut/robot/robot_builder_internal.hpp"
#include "taut/text/at.hpp"

namespace taut::io {
namespace {

using detail::RobotAssembly;

void add_bodies(RobotAssembly& all) {
  std::vector<double> rotor(all.bodies.bodies.size(), 0);
  for (const RobotJoint& joint : all.robot.joints)
    if (joint.armature > 0 && all.turns_in_world(joint))
      rotor[static_cast<std::size_t>(
          all.bodies.links[static_cast<std::size_t>(joint.child)].body)] = joint.armature;
  for (const RobotBodies::Body& body : all.bodies.bodies) {
    const auto link = static_cast<std::size_t>(body.link);
    const Frame& frame = all.frames[link];
    const LinkMotion& motion = all.motions[link];
    const Vec3 arm = frame.linear() * body.center;
    all.ids.push_back(
        all.system.add(RigidBody{body.mass, body.inertia + rotor[all.ids.size()] * Mat3::Identity(),
                                 frame * body.center, Quat(frame.linear()),
                                 motion.velocity + motion.spin.cross(arm),
                                 frame.linear().transpose() * motion.spin},
                       all.options.prefix + all.robot.links[link].name));
  }
}

Visual on_body(const RobotAssembly& all, int link, Visual visual) {
  const LinkPlace place = all.place(link);
  if (!place.body.is_world()) visual.body = all.system.body_name(place.body);
  visual.position = place.frame * visual.position;
  visual.orientation = Quat(place.frame.linear()) * visual.orientation;
  return visual;
}

void place_links(RobotAssembly& all) {
  const Robot& robot = all.robot;
  AddedRobot& added = all.added;
  int lost = 0;
  for (std::size_t i = 0; i < robot.links.size(); ++i)
    if (!all.is_nowhere(static_cast<int>(i)))
      added.links.emplace(all.options.prefix + robot.links[i].name, all.place(static_cast<int>(i)));
  for (const LinkVisual& each : robot.visuals) {
    if (all.is_nowhere(each.link))
      ++lost;
    else
      added.visuals.push_back(on_body(all, each.link, each.visual));
  }
  for (const LinkShape& each : robot.collisions) {
    if (all.is_nowhere(each.link)) {
      ++lost;
      continue;
    }
    added.collisions.push_back(each);
    added.collisions.back().visual = on_body(all, each.link, each.visual);
  }
  if (lost > 0)
    added.ignored.push_back(
        fmt::format("{} shape{} of links without mass between joints: they are no bodies", lost,
                    lost == 1 ? "" : "s"));
  for (const auto& [a, b] : robot.untouched)
    added.untouched.emplace_back(all.place(a).body, all.place(b).body);
}

}  // namespace

AddedRobot add_robot(System& system, const Robot& robot, const RobotOptions& options) {
  const std::vector<double> positions =
      options.positions.empty() ? default_positions(robot) : options.positions;
  const std::vector<Frame> frames = place_links(robot, options.root, positions);
  RobotAssembly all{system,
                    robot,
                    options,
                    positions,
                    frames,
                    merge_links(robot, options.base, frames),
                    move_links(robot, frames)};
  add_bodies(all);
  add_chains(all);
  add_loops(all);
  add_to_joints(all);
  add_tendons(all);
  add_actuators(all);
  place_links(all);
  return std::move(all.added);
}

}  // namespace taut::io
