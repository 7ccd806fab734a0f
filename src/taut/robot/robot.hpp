// A robot as a URDF file describes it: a tree of links that joints connect. Between the file and
// the System: io/urdf.hpp reads one, io/robot_builder.hpp adds one to a System.
#pragma once

#include <Eigen/Geometry>
#include <limits>
#include <string>
#include <vector>

#include "taut/base/types.hpp"
#include "taut/robot/visual.hpp"

namespace taut::io {

/// A frame as seen from another one: x ↦ R x + p.
using Frame = Eigen::Isometry3d;

struct RobotLink {
  std::string name;
  double mass = 0;              ///< 0: none given
  Vec3 center = Vec3::Zero();   ///< of mass, in the link's frame
  Mat3 inertia = Mat3::Zero();  ///< about the centre of mass, along the axes of the link's frame
};

enum class JointType { revolute, continuous, prismatic, fixed, floating, planar };

struct RobotJoint {
  std::string name;
  JointType type = JointType::fixed;
  int parent = -1, child = -1;  ///< links, by number
  Frame origin =
      Frame::Identity();      ///< of the joint, in the parent's frame; the child's at position 0
  Vec3 axis = Vec3::UnitX();  ///< unit, in the joint's frame; of a planar joint the normal
  double lower = -infinity;   ///< rad or m
  double upper = infinity;
  double effort = infinity;    ///< largest of its drive, N·m or N
  double velocity = infinity;  ///< beyond which it does not drive, rad/s or m/s
  double damping = 0;          ///< N·m·s/rad or N·s/m
  double friction = 0;         ///< N·m or N
  int mimic = -1;  ///< the joint it follows, by number: position = multiplier·other + offset
  double multiplier = 1, offset = 0;

  static constexpr double infinity = std::numeric_limits<double>::infinity();
  /// Whether one number says where it is.
  bool has_position() const {
    return type == JointType::revolute || type == JointType::continuous ||
           type == JointType::prismatic;
  }
  /// Whether there are stops.
  bool is_limited() const { return mimic < 0 && upper - lower < infinity; }
  /// The child's frame in the parent's.
  Frame at(double position) const;
};

/// What is drawn with a link: `Visual::body` is empty, and its frame is the link's.
struct LinkVisual {
  int link = -1;
  Visual visual;
};

struct Robot {
  std::string name;
  std::vector<RobotLink> links;    ///< in the order of the file
  std::vector<RobotJoint> joints;  ///< parents before children
  int root = 0;                    ///< the link that is no joint's child
  std::vector<LinkVisual> visuals;
  std::vector<LinkVisual> collisions;  ///< with what a link touches: without a colour
  std::vector<std::string> ignored;    ///< what of the file has no effect, a line for each kind
};

}  // namespace taut::io
