#include "taut/robot/robot_builder.hpp"

#include "taut/constraints/list.hpp"
#include "taut/forces/list.hpp"

namespace taut::io {
namespace {

class RobotBuilder {
 public:
  RobotBuilder(System& system, const Robot& robot, const RobotOptions& options)
      : system_(system),
        robot_(robot),
        options_(options),
        bodies_(merge_links(robot, options.base)),
        positions_(options.positions.empty() ? default_positions(robot) : options.positions),
        frames_(place_links(robot, options.root, positions_)) {}

  AddedRobot build() {
    add_bodies();
    for (std::size_t i = 0; i < robot_.joints.size(); ++i)
      add_joint(robot_.joints[i], positions_[i]);
    for (const RobotJoint& joint : robot_.joints) add_to_joint(joint);
    for (std::size_t i = 0; i < robot_.links.size(); ++i)
      added_.links.emplace(options_.prefix + robot_.links[i].name, place(static_cast<int>(i)));
    for (const LinkVisual& each : robot_.visuals) added_.visuals.push_back(on_body(each));
    for (const LinkVisual& each : robot_.collisions) added_.collisions.push_back(on_body(each));
    return std::move(added_);
  }

 private:
  void add_bodies() {
    for (const RobotBodies::Body& body : bodies_.bodies) {
      const Frame& frame = frames_[static_cast<std::size_t>(body.link)];
      ids_.push_back(
          system_.add(RigidBody{body.mass, body.inertia, frame * body.center, Quat(frame.linear())},
                      options_.prefix + robot_.links[static_cast<std::size_t>(body.link)].name));
    }
  }

  LinkPlace place(int link) const {
    const RobotBodies::Place& merged = bodies_.links[static_cast<std::size_t>(link)];
    if (merged.body < 0) return {world_body, frames_[static_cast<std::size_t>(link)]};
    return {ids_[static_cast<std::size_t>(merged.body)], merged.frame};
  }

  void add_joint(const RobotJoint& joint, double position) {
    if (joint.type == JointType::fixed || joint.type == JointType::floating) return;
    const LinkPlace parent = place(joint.parent), child = place(joint.child);
    const Frame hold = parent.frame * joint.origin;
    const Point a(parent.body, hold.translation()), b(child.body, child.frame.translation());
    const Direction axis{parent.body, hold.linear() * joint.axis};
    const auto add = [&](auto constraint) {
      constraint.a = a;
      constraint.b = b;
      constraint.axis = axis;
      constrain(system_, std::move(constraint), name_of(joint));
    };
    if (joint.type == JointType::planar) {
      add(Planar{});
    } else if (joint.type == JointType::prismatic) {
      Slider slider;
      slider.slide_at_start = position;
      add(slider);
    } else {
      Hinge hinge;
      hinge.turn_at_start = position;
      add(hinge);
    }
  }

  /// What acts along a joint: limits, the joint it follows, damping, dry friction.
  void add_to_joint(const RobotJoint& joint) {
    if (!joint.has_position()) return;
    system_.set_drive_limits(options_.prefix + joint.name, joint.effort, joint.velocity);
    const Coordinate coordinate = system_.joint_coordinate(options_.prefix + joint.name);
    if (joint.is_limited()) {
      Limit limit;
      limit.joint = coordinate;
      limit.lower = joint.lower;
      limit.upper = joint.upper;
      constrain(system_, limit, name_of(joint, ".limit"));
    }
    if (joint.mimic >= 0) {
      Gear gear;
      gear.first = coordinate;
      gear.second = system_.joint_coordinate(
          options_.prefix + robot_.joints[static_cast<std::size_t>(joint.mimic)].name);
      gear.ratio = joint.multiplier;
      constrain(system_, gear, name_of(joint, ".mimic"));
    }
    if (joint.damping > 0) apply(system_, JointSpring{coordinate, 0, joint.damping, 0});
    if (joint.friction > 0) {
      Motor brake;  // at speed 0
      brake.joint = coordinate;
      brake.max = joint.friction;
      constrain(system_, brake, name_of(joint, ".friction"));
    }
  }

  std::string name_of(const RobotJoint& joint, const char* part = "") {
    return added_.constraints.emplace_back(options_.prefix + joint.name + part);
  }

  Visual on_body(const LinkVisual& each) const {
    const LinkPlace link = place(each.link);
    Visual visual = each.visual;
    if (!link.body.is_world()) visual.body = system_.body_name(link.body);
    visual.position = link.frame * each.visual.position;
    visual.orientation = Quat(link.frame.linear()) * each.visual.orientation;
    return visual;
  }

  System& system_;
  const Robot& robot_;
  const RobotOptions& options_;
  RobotBodies bodies_;
  std::vector<double> positions_;
  std::vector<Frame> frames_;  // of the links, in the world
  std::vector<BodyId> ids_;    // of the bodies
  AddedRobot added_;
};

}  // namespace

AddedRobot add_robot(System& system, const Robot& robot, const RobotOptions& options) {
  return RobotBuilder(system, robot, options).build();
}

}  // namespace taut::io
