#include "taut/robot/robot_bodies.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numbers>

#include "taut/base/join.hpp"
#include "taut/base/symmetric_eigenvalues.hpp"
#include "taut/model/inertia.hpp"
#include "taut/robot/robot_chain.hpp"
#include "taut/text/at.hpp"

namespace taut::io {
namespace {

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
      child.frame = child.frame * joint.at(0);
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

/// Bodies and chains of a robot, step by step.
class Merger {
 public:
  Merger(const Robot& robot, RobotBase base, const std::vector<Frame>& frames)
      : robot_(robot), frames_(frames) {
    out_.links.resize(robot.links.size());
    if (base == RobotBase::floating) {
      place(robot.root).body = 0;
      out_.bodies.emplace_back().link = robot.root;
    }
    group_links(robot, out_);
    add_up(robot, out_);
  }

  RobotBodies merge() {
    find_chains();
    is_inside_.assign(out_.bodies.size(), false);
    std::vector<RobotBodies::Chain> chains;
    for (const RobotBodies::Chain& chain : out_.chains) {
      const std::vector<ChainAxis> axes = chain_axes(robot_, frames_, chain);
      if (chain.size() == 1 || is_compound(axes)) {
        for (std::size_t i = 0; i + 1 < chain.size(); ++i)
          is_inside_[static_cast<std::size_t>(body_behind(chain[i]))] = true;
        chains.push_back(chain);
      } else if (put_between(axes)) {
        for (const int joint : chain) chains.push_back({joint});
      } else {
        fail_at(out_.bodies[static_cast<std::size_t>(body_behind(chain[0]))], chain);
      }
    }
    out_.chains = std::move(chains);
    for (std::size_t i = 0; i < out_.bodies.size(); ++i) {
      const RobotBodies::Body& body = out_.bodies[i];
      if (!is_inside_[i] && !(body.mass > 0 && is_definite(body.inertia))) fail_at(body, {});
    }
    drop_inside();
    return std::move(out_);
  }

 private:
  RobotBodies::Place& place(int link) { return out_.links[static_cast<std::size_t>(link)]; }
  const RobotJoint& joint(int number) const {
    return robot_.joints[static_cast<std::size_t>(number)];
  }
  int body_behind(int number) { return place(joint(number).child).body; }

  /// Joints in a row where the links between have no mass, and nothing else takes hold of them.
  void find_chains() {
    const std::size_t bodies = out_.bodies.size();
    std::vector<int> before(bodies, -1), behind(bodies, -1), count(bodies, 0);
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
      const RobotJoint& each = robot_.joints[i];
      if (each.type == JointType::fixed) continue;
      before[static_cast<std::size_t>(place(each.child).body)] = static_cast<int>(i);
      const int parent = place(each.parent).body;
      if (parent < 0) continue;
      behind[static_cast<std::size_t>(parent)] = static_cast<int>(i);
      ++count[static_cast<std::size_t>(parent)];
    }
    const auto hold = [&](int link) {
      if (const int body = place(link).body; body >= 0) ++count[static_cast<std::size_t>(body)];
    };
    for (const RobotJoint& loop : robot_.loops) {
      hold(loop.parent);
      hold(loop.child);
    }
    for (const RobotTendon& tendon : robot_.tendons)
      for (const RobotTendon::Place& each : tendon.points) hold(each.link);

    const auto is_between = [&](std::size_t body) {
      const RobotBodies::Body& of = out_.bodies[body];
      if (of.mass > 0 || !of.inertia.isZero(0) || count[body] != 1 || before[body] < 0 ||
          behind[body] < 0)
        return false;
      const auto plain = [](JointType type) {
        return type == JointType::revolute || type == JointType::continuous ||
               type == JointType::prismatic;
      };
      const JointType next = joint(behind[body]).type;
      return plain(joint(before[body]).type) && (plain(next) || next == JointType::ball);
    };
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
      const RobotJoint& first = robot_.joints[i];
      if (first.type == JointType::fixed) continue;
      const int parent = place(first.parent).body;
      if (parent >= 0 && is_between(static_cast<std::size_t>(parent))) continue;
      RobotBodies::Chain chain{static_cast<int>(i)};
      for (auto body = static_cast<std::size_t>(body_behind(chain[0])); is_between(body);
           body = static_cast<std::size_t>(body_behind(chain.back())))
        chain.push_back(behind[body]);
      out_.chains.push_back(std::move(chain));
    }
  }

  bool put_between(const std::vector<ChainAxis>& axes) {
    if (axes.size() != 2) return false;
    const int a = place(joint(axes[0].joint).parent).body, l = body_behind(axes[0].joint),
              b = body_behind(axes[1].joint);
    RobotBodies::Body body_a, body_l, body_b = in_world(b);
    if (a >= 0) body_a = in_world(a);
    if (!(body_b.mass > 0) || !is_definite(body_b.inertia)) return false;
    if (a >= 0 && (!(body_a.mass > 0) || !is_definite(body_a.inertia))) return false;
    if (!borrow(axes, a >= 0 ? &body_a : nullptr, body_l, body_b)) return false;
    take(l, body_l);
    take(b, body_b);
    if (a >= 0) take(a, body_a);
    return true;
  }
  const Frame& frame_of(int body) const {
    return frames_[static_cast<std::size_t>(out_.bodies[static_cast<std::size_t>(body)].link)];
  }
  RobotBodies::Body in_world(int number) const {
    RobotBodies::Body body = out_.bodies[static_cast<std::size_t>(number)];
    const Frame& frame = frame_of(number);
    body.center = frame * body.center;
    body.inertia = frame.linear() * body.inertia * frame.linear().transpose();
    return body;
  }
  void take(int number, const RobotBodies::Body& in_world) {
    RobotBodies::Body& body = out_.bodies[static_cast<std::size_t>(number)];
    const Frame& frame = frame_of(number);
    const Vec3 center = frame.inverse() * in_world.center;
    for (RobotBodies::Place& each : out_.links)
      if (each.body == number) each.frame.pretranslate(body.center - center);
    body.mass = in_world.mass;
    body.center = center;
    body.inertia = frame.linear().transpose() * in_world.inertia * frame.linear();
  }

  void drop_inside() {
    std::vector<int> number(out_.bodies.size(), RobotBodies::nowhere);
    int count = 0;
    for (std::size_t i = 0; i < number.size(); ++i)
      if (!is_inside_[i]) {
        out_.bodies[static_cast<std::size_t>(count)] = out_.bodies[i];
        number[i] = count++;
      }
    out_.bodies.resize(static_cast<std::size_t>(count));
    for (RobotBodies::Place& each : out_.links)
      if (each.body >= 0) each.body = number[static_cast<std::size_t>(each.body)];
  }

  [[noreturn]] void fail_at(const RobotBodies::Body& body, const RobotBodies::Chain& chain) const {
    const RobotJoint* mover = nullptr;
    for (const RobotJoint& each : robot_.joints)
      if (each.child == body.link) mover = &each;
    std::vector<std::string> names;
    for (const int each : chain) names.push_back(in_quotes(joint(each).name));
    throw Error(fmt::format(
        "link {}: found {} although {}, expected a mass > 0 and an inertia with three moments > 0 "
        "(give it an <inertial>{}{})",
        in_quotes(robot_.links[static_cast<std::size_t>(body.link)].name),
        body.mass > 0 ? "an inertia that is zero in some direction" : "no mass",
        mover ? fmt::format("the joint {} moves it", in_quotes(mover->name)) : "it floats",
        mover ? ", or make the joint fixed" : "",
        chain.size() > 1 ? fmt::format("; the joints {} cannot be one joint: slides must come "
                                       "first and be square to each other, and turns be about one "
                                       "point, two not parallel or three each square to the next",
                                       join(names, ", "))
                         : ""));
  }

  const Robot& robot_;
  const std::vector<Frame>& frames_;
  RobotBodies out_;
  std::vector<bool> is_inside_;  // of a chain, per body
};

}  // namespace

RobotBodies merge_links(const Robot& robot, RobotBase base, const std::vector<Frame>& frames) {
  return Merger(robot, base, frames).merge();
}

RobotBodies merge_links(const Robot& robot, RobotBase base) {
  return merge_links(robot, base, place_links(robot, Frame::Identity(), default_positions(robot)));
}

bool can_float(const Robot& robot) {
  if (robot.is_world || robot.links[static_cast<std::size_t>(robot.root)].name == "world")
    return false;
  RobotBodies out;
  out.links.resize(robot.links.size());
  out.links[static_cast<std::size_t>(robot.root)].body = 0;
  out.bodies.emplace_back().link = robot.root;
  group_links(robot, out);
  add_up(robot, out);
  return out.bodies[0].mass > 0 && is_definite(out.bodies[0].inertia);
}

Frame RobotJoint::at(double position) const {
  const double way = position - reference;
  Frame motion = Frame::Identity();
  if (turns()) motion.linear() = Eigen::AngleAxisd(way, axis).toRotationMatrix();
  if (type == JointType::prismatic) motion.translation() = way * axis;
  if (type == JointType::screw) motion.translation() = way * pitch / (2 * std::numbers::pi) * axis;
  if (type == JointType::ball || type == JointType::floating) motion = start_pose;
  return origin * motion * child_origin;
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
    positions.push_back(joint.has_position() ? std::clamp(joint.start, joint.lower, joint.upper)
                                             : 0);
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

std::vector<LinkMotion> move_links(const Robot& robot, const std::vector<Frame>& frames) {
  std::vector<LinkMotion> motions(robot.links.size());
  for (const RobotJoint& joint : robot.joints) {
    const Frame& parent = frames[static_cast<std::size_t>(joint.parent)];
    const Frame& child = frames[static_cast<std::size_t>(joint.child)];
    const LinkMotion& from = motions[static_cast<std::size_t>(joint.parent)];
    const Frame at = parent * joint.origin;
    const Vec3 axis = at.linear() * joint.axis;
    LinkMotion& to = motions[static_cast<std::size_t>(joint.child)];
    to.spin = from.spin;
    to.velocity = from.velocity + from.spin.cross(child.translation() - parent.translation());
    const auto turn = [&](const Vec3& spin, const Vec3& about) {
      to.spin += spin;
      to.velocity += spin.cross(child.translation() - about);
    };
    if (joint.turns()) turn(joint.start_rate * axis, at.translation());
    if (joint.type == JointType::prismatic) to.velocity += joint.start_rate * axis;
    if (joint.type == JointType::screw)
      to.velocity += joint.start_rate * joint.pitch / (2 * std::numbers::pi) * axis;
    if (joint.type == JointType::ball) turn(child.linear() * joint.start_spin, at.translation());
    if (joint.type == JointType::floating) {
      to.spin += child.linear() * joint.start_spin;
      to.velocity += at.linear() * joint.start_velocity;
    }
  }
  return motions;
}

}  // namespace taut::io
