// A robot's links as rigid bodies: links that fixed joints connect are one.
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
  struct Place {
    int body = -1;                    ///< or -1: fixed in the world
    Frame frame = Frame::Identity();  ///< in the body's: at its centre of mass, with the axes of
                                      ///< its first link. In the world: as seen from the root
  };
  std::vector<Body> bodies;
  std::vector<Place> links;  ///< where each link is
};

/// Throws Error, with link and joint, where something moves that has no mass or no inertia.
RobotBodies merge_links(const Robot& robot, RobotBase base);

/// Whether the root, with what is fixed to it, can move on its own: it has mass and inertia, and is
/// not called "world".
bool can_float(const Robot& robot);

/// Per joint: 0, or what is nearest to it within the limits; joints that follow others as they do.
std::vector<double> default_positions(const Robot& robot);
/// Sets those that follow others.
void follow(const Robot& robot, std::vector<double>& positions);

/// The frames of all links in the world. `root`: of the root link.
std::vector<Frame> place_links(const Robot& robot, const Frame& root,
                               const std::vector<double>& positions);

}  // namespace taut::io
