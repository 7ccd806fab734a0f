// A robot as a file describes it, in URDF, MJCF or SDF: a tree of links that joints connect, and
// what acts on them. Between the file and the System: robot/urdf.hpp, mjcf.hpp and sdf.hpp read
// one, robot/robot_builder.hpp adds one to a System.
#pragma once

#include <Eigen/Geometry>
#include <limits>
#include <optional>
#include <string>
#include <utility>
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

enum class JointType { revolute, continuous, prismatic, fixed, floating, planar, ball, screw };

struct RobotJoint {
  std::string name;
  JointType type = JointType::fixed;
  int parent = -1, child = -1;             ///< links, by number
  Frame origin = Frame::Identity();        ///< of the joint, in the parent's frame
  Frame child_origin = Frame::Identity();  ///< of the child, in the joint's frame behind its motion
  Vec3 axis = Vec3::UnitX();  ///< unit, in the joint's frame; of a planar joint the normal
  double pitch = 0;           ///< of a screw: m per turn
  double reference = 0;       ///< its position where the origins alone say where the child is
  double lower = -infinity;   ///< rad or m
  double upper = infinity;
  double effort = infinity;        ///< largest of its drive, N·m or N
  double velocity = infinity;      ///< beyond which it does not drive, rad/s or m/s
  double damping = 0;              ///< N·m·s/rad or N·s/m
  double friction = 0;             ///< N·m or N
  double stiffness = 0, rest = 0;  ///< of a spring: N·m/rad or N/m, rad or m
  double armature = 0;  ///< J of its rotor, kg·m² or kg: energy ½ J q̇², whatever the parent does
  int mimic = -1;       ///< the joint it follows, by number: position = multiplier·other + offset
  double multiplier = 1, offset = 0;
  double start = 0, start_rate = 0;      ///< of the position, unless somebody says otherwise
  Frame start_pose = Frame::Identity();  ///< of a ball or floating joint: its motion
  /// Of the same: of the child's frame relative to the parent, turning along its own axes.
  Vec3 start_velocity = Vec3::Zero(), start_spin = Vec3::Zero();

  static constexpr double infinity = std::numeric_limits<double>::infinity();
  /// Whether one number says where it is.
  bool has_position() const {
    return type == JointType::revolute || type == JointType::continuous ||
           type == JointType::prismatic || type == JointType::screw;
  }
  /// Whether there are stops.
  bool is_limited() const { return lower > -infinity || upper < infinity; }
  /// Whether that number is an angle.
  bool turns() const { return has_position() && type != JointType::prismatic; }
  /// The child's frame in the parent's.
  Frame at(double position) const;
};

/// What is drawn with a link: `Visual::body` is empty, and its frame is the link's.
struct LinkVisual {
  int link = -1;
  Visual visual;
};

/// What of a link touches others. Where a property is not given, the user of the robot says.
struct LinkShape : LinkVisual {
  bool is_plane = false;     ///< z = 0, whatever the visual says: for links that do not move
  std::vector<Vec3> points;  ///< if not empty: their hull, instead of the visual's mesh
  bool is_hull = false;      ///< a mesh stands for its convex hull, also where it does not move
  std::string name;
  std::optional<double> friction, restitution;
  double spinning_friction = 0, rolling_friction = 0;  ///< m
  unsigned kinds = 0xffff, meets = 0xffff;             ///< as of collision::BodyShape
  int group = 0;                                       ///< likewise
};

/// A string or an elastic cord through points of links, straight from one to the next.
struct RobotTendon {
  struct Place {
    int link = -1;
    Vec3 at = Vec3::Zero();  ///< in the link's frame
  };
  std::string name;
  std::vector<Place> points;              ///< two
  double longest = RobotJoint::infinity;  ///< m
  double stiffness = 0, damping = 0;      ///< of its spring, which pulls and pushes
  std::optional<double> length;           ///< of the spring at rest; at the start if not given
  bool is_rod = false;                    ///< keeps the length it has at the start
};

/// Drives joints by a number from outside, the input of its name:
///   force = gain·u + bias − stiffness·l − damping·l̇, from `least` to `largest`,
/// with l = Σ gear·(position of the joint), acts on each joint with gear·force.
struct RobotActuator {
  struct Part {
    int joint = -1;
    double gear = 1;
  };
  std::string name, unit;
  std::vector<Part> parts;
  double gain = 1, bias = 0, stiffness = 0, damping = 0;
  double least = -RobotJoint::infinity, largest = RobotJoint::infinity;
  double input_min = -RobotJoint::infinity, input_max = RobotJoint::infinity, input_start = 0;
};

struct Robot {
  std::string name;
  std::vector<RobotLink> links;    ///< in the order of the file
  std::vector<RobotJoint> joints;  ///< parents before children
  int root = 0;                    ///< the link that is no joint's child
  bool is_world = false;           ///< the root is the world: it never moves
  std::vector<RobotJoint> loops;   ///< joints between links that the tree has placed already
  std::vector<RobotTendon> tendons;
  std::vector<RobotActuator> actuators;
  std::vector<LinkVisual> visuals;
  std::vector<LinkShape> collisions;  ///< with what a link touches: without a colour
  bool touches_itself = false;        ///< its links touch each other, unless it is said otherwise
  std::vector<std::pair<int, int>> untouched;  ///< links that do not touch each other
  std::optional<Vec3> gravity;                 ///< where the file has one
  std::optional<double> step;                  ///< s
  std::vector<std::string> ignored;   ///< what of the file has no effect, a line for each kind
  std::vector<std::string> warnings;  ///< … and makes the motion another one
};

}  // namespace taut::io
