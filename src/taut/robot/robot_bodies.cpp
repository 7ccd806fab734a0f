#include "taut/robot/robot_bodies.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "taut/base/symmetric_eigenvalues.hpp"
#include "taut/text/at.hpp"

namespace taut::io {
namespace {

/// I about another point, `arm` away from the centre of mass: Steiner's m (r² 1 − r rᵀ).
Mat3 steiner(double mass, const Vec3& arm) {
  return mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
}

bool is_definite(const Mat3& inertia) {
  const double size = inertia.cwiseAbs().maxCoeff();
  if (!(size > 0)) return false;
  const Vec3 moments = symmetric_eigenvalues(inertia / size);
  return moments[0] > 1e-12;
}

/// Which body each link belongs to, with its frame in that of the body's first link.
void group_links(const Robot& robot, RobotBodies& out) {
  for (const RobotJoint& joint : robot.joints) {
    RobotBodies::Place& child = out.links[static_cast<std::size_t>(joint.child)];
    if (joint.type == JointType::fixed) {
      child = out.links[static_cast<std::size_t>(joint.parent)];
      child.frame = child.frame * joint.origin;
    } else {
      child = {static_cast<int>(out.bodies.size()), Frame::Identity()};
      out.bodies.emplace_back().link = joint.child;
    }
  }
}

/// Sums masses and inertias; afterwards the frames of the links are seen from the centres of mass.
void add_up(const Robot& robot, RobotBodies& out) {
  const auto each_link = [&](auto&& visit) {
    for (std::size_t i = 0; i < robot.links.size(); ++i)
      if (RobotBodies::Place& place = out.links[i]; place.body >= 0)
        visit(robot.links[i], place, out.bodies[static_cast<std::size_t>(place.body)]);
  };
  each_link([](const RobotLink& link, const RobotBodies::Place& place, RobotBodies::Body& body) {
    body.mass += link.mass;
    body.center += link.mass * (place.frame * link.center);
  });
  for (RobotBodies::Body& body : out.bodies)
    if (body.mass > 0) body.center /= body.mass;
  each_link([](const RobotLink& link, RobotBodies::Place& place, RobotBodies::Body& body) {
    const Mat3 R = place.frame.linear();
    body.inertia += R * link.inertia * R.transpose() +
                    steiner(link.mass, place.frame * link.center - body.center);
    place.frame.pretranslate(-body.center);
  });
}

}  // namespace

RobotBodies merge_links(const Robot& robot, RobotBase base) {
  RobotBodies out;
  out.links.resize(robot.links.size());
  if (base == RobotBase::floating) {
    out.links[static_cast<std::size_t>(robot.root)].body = 0;
    out.bodies.emplace_back().link = robot.root;
  }
  group_links(robot, out);
  add_up(robot, out);

  std::vector<const RobotJoint*> mover(robot.links.size(), nullptr);
  for (const RobotJoint& joint : robot.joints)
    mover[static_cast<std::size_t>(joint.child)] = &joint;
  for (const RobotBodies::Body& body : out.bodies) {
    const bool heavy = body.mass > 0;
    if (heavy && is_definite(body.inertia)) continue;
    const RobotJoint* joint = mover[static_cast<std::size_t>(body.link)];
    throw Error(fmt::format(
        "link {}: found {} although {}, expected a mass > 0 and an inertia with three moments > 0 "
        "(give "
        "it an <inertial>{})",
        in_quotes(robot.links[static_cast<std::size_t>(body.link)].name),
        heavy ? "an inertia that is zero in some direction" : "no mass",
        joint ? fmt::format("the joint {} moves it", in_quotes(joint->name)) : "it floats",
        joint ? ", or make the joint fixed" : ""));
  }
  return out;
}

bool can_float(const Robot& robot) {
  if (robot.links[static_cast<std::size_t>(robot.root)].name == "world") return false;
  RobotBodies out;
  out.links.resize(robot.links.size());
  out.links[static_cast<std::size_t>(robot.root)].body = 0;
  out.bodies.emplace_back().link = robot.root;
  group_links(robot, out);
  add_up(robot, out);
  return out.bodies[0].mass > 0 && is_definite(out.bodies[0].inertia);
}

void follow(const Robot& robot, std::vector<double>& positions) {
  for (std::size_t i = 0; i < robot.joints.size(); ++i)
    if (const RobotJoint& joint = robot.joints[i]; joint.mimic >= 0)
      positions[i] =
          joint.multiplier * positions[static_cast<std::size_t>(joint.mimic)] + joint.offset;
}

std::vector<double> default_positions(const Robot& robot) {
  std::vector<double> positions;
  for (const RobotJoint& joint : robot.joints)
    positions.push_back(joint.has_position() ? std::clamp(0.0, joint.lower, joint.upper) : 0);
  follow(robot, positions);
  return positions;
}

std::vector<Frame> place_links(const Robot& robot, const Frame& root,
                               const std::vector<double>& positions) {
  std::vector<Frame> frames(robot.links.size(), root);
  for (std::size_t i = 0; i < robot.joints.size(); ++i) {
    const RobotJoint& joint = robot.joints[i];
    frames[static_cast<std::size_t>(joint.child)] =
        frames[static_cast<std::size_t>(joint.parent)] * joint.at(positions[i]);
  }
  return frames;
}

}  // namespace taut::io
