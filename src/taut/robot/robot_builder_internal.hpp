// A robot while it is added to a System: what its parts need to know of each other.
#pragma once

#include <string>
#include <vector>

#include "taut/robot/robot_builder.hpp"

namespace taut::io::detail {

struct RobotAssembly {
  System& system;
  const Robot& robot;
  const RobotOptions& options;
  std::vector<double> positions;  ///< of the joints
  std::vector<Frame> frames;      ///< of the links, in the world
  RobotBodies bodies;
  std::vector<LinkMotion> motions;  ///< of the links
  std::vector<BodyId> ids = {};     ///< of the bodies
  AddedRobot added = {};

  LinkPlace place(int link) const {
    const RobotBodies::Place& merged = bodies.links[static_cast<std::size_t>(link)];
    if (merged.body < 0) return {world_body, frames[static_cast<std::size_t>(link)]};
    return {ids[static_cast<std::size_t>(merged.body)], merged.frame};
  }
  /// A point of a link.
  Point point(int link, const Vec3& at) const {
    const LinkPlace where = place(link);
    return {where.body, where.frame * at};
  }
  /// Inside of a chain: it is no part of a body.
  bool is_nowhere(int link) const {
    return bodies.links[static_cast<std::size_t>(link)].body == RobotBodies::nowhere;
  }
  /// Whether its child does nothing but turn about a place in the world as the joint does: then the
  /// inertia of a rotor is one of the child's.
  bool turns_in_world(const RobotJoint& joint) const {
    const bool turns = joint.type == JointType::revolute || joint.type == JointType::continuous ||
                       joint.type == JointType::ball;
    const auto body = [&](int link) { return bodies.links[static_cast<std::size_t>(link)].body; };
    return turns && body(joint.parent) == RobotBodies::world && body(joint.child) >= 0;
  }
  /// The name of a constraint, with the prefix; it is noted.
  std::string constraint(const std::string& name) {
    return added.constraints.emplace_back(options.prefix + name);
  }
  std::string coordinate_name(const RobotJoint& joint) const {
    return options.prefix + joint.name +
                                   (joint.type == JointType::screw ? ".turn" : "");
  }
  const Coordinate& coordinate(const RobotJoint& joint) const {
    return system.joint_coordinate(coordinate_name(joint));
  }
};

/// The joints of the tree, those in a row as one.
void add_chains(RobotAssembly& assembly);
/// Those that close loops.
void add_loops(RobotAssembly& assembly);
/// What acts in joints: limits, joints they follow, springs, damping, dry friction, rotors.
void add_to_joints(RobotAssembly& assembly);
void add_tendons(RobotAssembly& assembly);
void add_actuators(RobotAssembly& assembly);

}  // namespace taut::io::detail
