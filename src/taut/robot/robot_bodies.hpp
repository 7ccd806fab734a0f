// A robot's links as rigid bodies: links that fixed joints connect are one.
//
// A link without mass between two joints is no body of its own: the joints make a *chain*, which is
// one joint with several coordinates. See robot_chain.hpp.
#pragma once

#include <string>
#include <vector>

#include "taut/robot/robot.hpp"

namespace taut::io {

enum class RobotBase { fixed, floating };

struct RobotBodies {
  struct Body {
    int link = -1;  ///< the one nearest to the root: it gives the name and the axes
    double mass = 0;
    Vec3 center = Vec3::Zero();  ///< of mass, in that link's frame
    Mat3 inertia = Mat3::Zero();
  };
  static constexpr int world = -1;    ///< in place of a body
  static constexpr int nowhere = -2;  ///< inside of a chain
  struct Place {
    int body = world;
    Frame frame = Frame::Identity();  ///< in the body's: at its centre of mass, with the axes of
                                      ///< its first link. In the world: as seen from the root
  };
  /// Joints in a row from one body to another, none of them fixed; most often one.
  using Chain = std::vector<int>;

  std::vector<Body> bodies;
  std::vector<Place> links;  ///< where each link is
  std::vector<Chain> chains;
};

/// With the links where `frames` says. Throws Error, with link and joint, where something moves
/// that has no mass or no inertia.
RobotBodies merge_links(const Robot& robot, RobotBase base, const std::vector<Frame>& frames);
/// … where the robot is at the start.
RobotBodies merge_links(const Robot& robot, RobotBase base);

/// Whether the root, with what is fixed to it, can move on its own: it has mass and inertia, and is
/// not the world.
bool can_float(const Robot& robot);

/// Per joint: where it starts, or what is nearest to that within the limits; joints that follow
/// others as they do.
std::vector<double> default_positions(const Robot& robot);
/// Sets those that follow others.
void follow(const Robot& robot, std::vector<double>& positions);

/// The frames of all links in the world. `root`: of the root link.
std::vector<Frame> place_links(const Robot& robot, const Frame& root,
                               const std::vector<double>& positions);

/// How links move at the start: of the origin of the link's frame, both in the world's directions.
struct LinkMotion {
  Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();
};
std::vector<LinkMotion> move_links(const Robot& robot, const std::vector<Frame>& frames);

}  // namespace taut::io
