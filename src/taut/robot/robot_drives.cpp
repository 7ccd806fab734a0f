// What acts in a robot's joints, and between its links.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "taut/base/join.hpp"
#include "taut/constraints/distance.hpp"
#include "taut/constraints/gear.hpp"
#include "taut/constraints/hinge.hpp"
#include "taut/constraints/limit.hpp"
#include "taut/constraints/motor.hpp"
#include "taut/constraints/rack.hpp"
#include "taut/forces/joint_forces.hpp"
#include "taut/forces/servo.hpp"
#include "taut/forces/spring.hpp"
#include "taut/robot/robot_builder_internal.hpp"
#include "taut/text/at.hpp"

namespace taut::io::detail {
namespace {

/// ½ J q̇², whatever the bodies do: a flywheel in the world, without weight in effect, that turns as
/// the joint moves. Where the joint itself is a hinge in the world, its child turns like that, and
/// has that inertia in add_bodies().
void add_rotor(RobotAssembly& all, const RobotJoint& joint) {
  const std::string name = joint.name + ".rotor";
  const Frame at = all.frames[static_cast<std::size_t>(joint.parent)] * joint.origin;
  const Vec3 axis = (at.linear() * joint.axis).normalized();
  RigidBody wheel;
  wheel.mass = joint.armature;  // any would do: it stays where it is
  wheel.inertia = joint.armature * Mat3::Identity();
  wheel.position = at.translation();
  wheel.angular_velocity = joint.start_rate * axis;
  const BodyId body = all.system.add(wheel, all.options.prefix + name);
  Hinge bearing;
  bearing.b = body;
  bearing.axis = {world_body, axis};
  const std::string bearing_name = all.constraint(joint.name + ".bearing");
  constrain(all.system, bearing, bearing_name);
  const Coordinate turn = all.system.joint_coordinate(bearing_name), moved = all.coordinate(joint);
  if (moved.is_turn())
    constrain(all.system, Gear{moved, turn, 1}, all.constraint(name));
  else
    constrain(all.system, Rack{moved, turn, 1}, all.constraint(name));
}

/// Joints with several coordinates have nothing that acts along one.
void tell_what_is_missing(RobotAssembly& all, const RobotJoint& joint) {
  std::vector<std::string> missing;
  if (joint.is_limited()) missing.emplace_back("a limit");
  if (joint.stiffness > 0) missing.emplace_back("a spring");
  if (joint.damping > 0) missing.emplace_back("damping");
  if (joint.friction > 0) missing.emplace_back("dry friction");
  if (joint.armature > 0 && !all.turns_in_world(joint)) missing.emplace_back("armature");
  if (!missing.empty())
    all.added.warnings.push_back(fmt::format("joint {}: {} of a {} joint: not simulated",
                                             in_quotes(joint.name), join(missing, ", "),
                                             joint.type == JointType::ball ? "ball" : "free"));
}

void add_to_joint(RobotAssembly& all, const RobotJoint& joint) {
  if (!joint.has_position()) return tell_what_is_missing(all, joint);
  System& system = all.system;
  system.set_drive_limits(all.coordinate_name(joint), joint.effort, joint.velocity);
  const Coordinate coordinate = all.coordinate(joint);
  if (joint.is_limited()) {
    Limit limit;
    limit.joint = coordinate;
    limit.lower = joint.lower;
    limit.upper = joint.upper;
    constrain(system, limit, all.constraint(joint.name + ".limit"));
  }
  // Three angles are told apart below a quarter turn of the middle one; a limit ends a run there.
  if (coordinate.kind == Coordinate::Kind::tilt && !joint.is_limited()) {
    constexpr double quarter = 1.57;
    Limit range{coordinate, coordinate.shift - quarter, coordinate.shift + quarter};
    constrain(system, range, all.constraint(joint.name + ".range"));
  }
  if (joint.mimic >= 0) {
    Gear gear;
    gear.first = coordinate;
    gear.second = all.coordinate(all.robot.joints[static_cast<std::size_t>(joint.mimic)]);
    gear.ratio = joint.multiplier;
    constrain(system, gear, all.constraint(joint.name + ".mimic"));
  }
  if (joint.damping > 0 || joint.stiffness > 0)
    apply(system, JointSpring{coordinate, joint.stiffness, joint.damping, joint.rest});
  if (joint.friction > 0) {
    Motor brake;  // at speed 0
    brake.joint = coordinate;
    brake.max = joint.friction;
    constrain(system, brake, all.constraint(joint.name + ".friction"));
  }
  if (joint.armature > 0 && !all.turns_in_world(joint)) add_rotor(all, joint);
}

/// What an input asks for, constant during a step.
Motion<double> asked_for(const Inputs& inputs, int input, const RobotActuator& drive, double gear) {
  return FormulaMotion<double>{[inputs, input, drive, gear](double) {
    return MotionSample<double>{gear * (drive.gain * inputs.value(input) + drive.bias), 0, 0};
  }};
}

/// The force along the joint is g·clamp(gain·u + bias − k l − d l̇), where l is g times the joint's
/// coordinate.
Servo servo(const Inputs& inputs, int input, const RobotActuator& drive, const Coordinate& joint,
            double gear) {
  Servo servo;
  servo.joint = joint;
  servo.target = 0;
  servo.speed = 0;
  servo.stiffness = gear * gear * drive.stiffness;
  servo.damping = gear * gear * drive.damping;
  servo.feedforward = asked_for(inputs, input, drive, gear);
  std::tie(servo.min, servo.max) = std::minmax(gear * drive.least, gear * drive.largest);
  return servo;
}

}  // namespace

void add_to_joints(RobotAssembly& all) {
  for (const RobotJoint& joint : all.robot.joints) add_to_joint(all, joint);
  for (const RobotJoint& loop : all.robot.loops) add_to_joint(all, loop);
}

void add_tendons(RobotAssembly& all) {
  for (const RobotTendon& tendon : all.robot.tendons) {
    const Point a = all.point(tendon.points[0].link, tendon.points[0].at);
    const Point b = all.point(tendon.points[1].link, tendon.points[1].at);
    const double length = (all.system.initial_place(a) - all.system.initial_place(b)).norm();
    if (tendon.is_rod) {
      Distance rod;
      rod.a = a;
      rod.b = b;
      constrain(all.system, rod, all.constraint(tendon.name + ".rod"));
    } else if (tendon.longest < RobotJoint::infinity) {
      Distance string;
      string.a = a;
      string.b = b;
      string.length = tendon.longest;
      string.slack = true;
      constrain(all.system, string, all.constraint(tendon.name));
    }
    if (tendon.stiffness > 0 || tendon.damping > 0)
      apply(all.system,
            Spring{a, b, tendon.stiffness, tendon.damping, tendon.length.value_or(length)});
  }
}

void add_actuators(RobotAssembly& all) {
  for (const RobotActuator& drive : all.robot.actuators) {
    Inputs inputs = all.system.inputs();
    const int input = inputs.add({all.options.prefix + drive.name, drive.unit, "of an actuator",
                                  drive.input_start, drive.input_min, drive.input_max});
    for (const RobotActuator::Part& part : drive.parts) {
      const RobotJoint& joint = all.robot.joints[static_cast<std::size_t>(part.joint)];
      if (part.gear != 0)
        apply(all.system, servo(inputs, input, drive, all.coordinate(joint), part.gear));
    }
  }
}

}  // namespace taut::io::detail
