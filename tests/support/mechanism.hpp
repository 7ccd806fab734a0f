// A mechanism as plain data, known neither to the simulator nor to the reference: both are made
// from it. Places and directions are in the world, at the start. Its own units are of the order of
// one; the scene that the simulator reads is in units of `Scale`.
#pragma once

#include <string>
#include <vector>

#include "taut/base/types.hpp"

namespace taut::testing {

struct Scale {
  double length = 1, time = 1, mass = 1;
};

struct Mechanism {
  static constexpr int world = -1;

  struct Body {
    bool rigid = true;
    double mass = 1;
    Vec3 place = Vec3::Zero();
    Quat orientation = Quat::Identity();
    Mat3 inertia = Mat3::Identity();                    // in the body's frame
    Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();  // found by the reference, in the world
  };
  /// Of body `body`, where it is at the start.
  struct Place {
    int body = world;
    Vec3 at = Vec3::Zero();
  };
  enum class JointType { hinge, slider, cylindrical, universal, planar, screw, ball, weld };
  struct Joint {
    JointType type = JointType::hinge;
    int a = world, b = 0;
    Vec3 at = Vec3::Zero(), axis = Vec3::UnitZ(), second = Vec3::UnitX();
    double pitch = 0;
    /// Follows from the other joints, as far as the reference is concerned. (Of a door that hangs
    /// in two hinges the second, even where it is out of line.)
    bool is_implied = false;
  };
  struct Rod {
    Place a, b;
    double length = 0;  // 0: as at the start
    bool is_string = false;
    bool is_implied = false;
  };
  struct Spring {
    Place a, b;
    double stiffness = 0, damping = 0, length = 0;
    /// So stiff that the reference has a rod in its place.
    bool is_rigid = false;
  };
  struct JointSpring {
    int joint = 0;
    double stiffness = 0, damping = 0, rest = 0;
  };
  struct Stop {
    int joint = 0;
    double lower = -1e300, upper = 1e300;
    double restitution = 0;
  };
  struct Motor {
    int joint = 0;
    double speed = 0, max = 0;
  };

  /// Of joints with one coordinate: that of the first is `ratio` times that of the second.
  struct Gear {
    int first = 0, second = 0;
    double ratio = 1;
    bool is_implied = false;
  };
  /// A point of a body does not move across the edge. Both are fixed in the body; the normal, too.
  struct Skate {
    Place at;
    Vec3 edge = Vec3::UnitX(), normal = Vec3::UnitZ();
  };

  std::string family;
  Vec3 gravity = Vec3::Zero();
  std::vector<Body> bodies;
  std::vector<Joint> joints;
  std::vector<Rod> rods;
  std::vector<Spring> springs;
  std::vector<JointSpring> joint_springs;
  std::vector<Stop> stops;
  std::vector<Motor> motors;
  std::vector<Gear> gears;
  std::vector<Skate> skates;

  /// Degrees of freedom, where rows depend on each other; −1: as many as the rows leave.
  int freedoms = -1;
  double duration = 1;
  Scale scale;
  /// How far the scene misses what the reference has exactly (hinges out of line): errors of ten
  /// times this are no errors.
  double imperfection = 0;
  /// Where rows contradict each other slightly, staying at rest is right, too.
  bool may_lock = false;

  bool is_smooth() const;
  bool has_unlocated() const;  ///< strings, motors: a method has order 1 where they change
  double mass_ratio() const;   ///< of the heaviest body to the lightest
  double extent() const;       ///< largest distance of a body or joint from the centre
};

/// The scene as the simulator reads it.
std::string scene_text(const Mechanism& mechanism, const std::string& name, double step);

}  // namespace taut::testing
