// A robot as bodies, joints and forces of a System.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "taut/model/system.hpp"
#include "taut/robot/robot.hpp"
#include "taut/robot/robot_bodies.hpp"
#include "taut/robot/visual.hpp"

namespace taut::io {

struct RobotOptions {
  std::string prefix;                 ///< of the names of bodies and joints, such as "arm/"
  RobotBase base = RobotBase::fixed;  ///< of the root link
  Frame root = Frame::Identity();     ///< where the root link is in the world
  std::vector<double> positions;      ///< per joint at the start; empty: default_positions()
};

/// A link's frame: in that of a body, at its centre of mass, or in the world.
struct LinkPlace {
  BodyId body;
  Frame frame = Frame::Identity();
};

struct AddedRobot {
  std::unordered_map<std::string, LinkPlace> links;  ///< by name, with the prefix
  std::vector<std::string> constraints;              ///< their names
  std::vector<Visual> visuals;
  std::vector<LinkShape> collisions;  ///< what touches, as the body's; `link` as in the robot
  std::vector<std::pair<BodyId, BodyId>> untouched;  ///< bodies that do not touch each other
  std::vector<std::string> ignored;                  ///< what has no effect
  std::vector<std::string> warnings;                 ///< … and makes the motion another one
};

/// Throws Error, for instance where a body of that name is there already.
AddedRobot add_robot(System& system, const Robot& robot, const RobotOptions& options = {});

}  // namespace taut::io
