#include "taut/robot/robot_chain.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "taut/model/inertia.hpp"

namespace taut::io {
namespace {

constexpr double square = 1e-9;    // cosines below this
constexpr double parallel = 0.99;  // cosines above this

double cosine(const ChainAxis& a, const ChainAxis& b) { return a.direction.dot(b.direction); }

/// Where the axes of turns meet; nothing where they do not.
bool meet(std::span<const ChainAxis> turns, Vec3& point) {
  point = turns[0].point;
  for (std::size_t i = 1; i < turns.size(); ++i) {
    if (turns[i].type == JointType::ball) {
      point = turns[i].point;
      continue;
    }
    // The point of the last axis nearest to the one before: common to both if they meet.
    const ChainAxis &a = turns[i - 1], &b = turns[i];
    const double c = cosine(a, b), s = 1 - c * c;
    if (s < 1e-6) return false;
    const Vec3 way = b.point - a.point;
    point = a.point + (way.dot(a.direction) - c * way.dot(b.direction)) / s * a.direction;
  }
  double size = 1e-3;
  for (const ChainAxis& each : turns) size = std::max(size, (each.point - point).norm());
  return std::all_of(turns.begin(), turns.end(), [&](const ChainAxis& each) {
    const Vec3 way = point - each.point;
    const Vec3 off = each.type == JointType::ball ? way : way.cross(each.direction);
    return off.norm() <= 1e-9 * size;
  });
}

std::span<const ChainAxis> turns_of(const std::vector<ChainAxis>& axes) {
  const auto first = std::find_if(axes.begin(), axes.end(), [](const auto& a) { return a.turns; });
  return {first, axes.end()};
}

/// What may be taken from a body without making it impossible, and is put elsewhere.
struct Share {
  double mass = 0;
  Vec3 point = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
};

RobotBodies::Body without(const RobotBodies::Body& body, const Share& share) {
  RobotBodies::Body rest = body;
  rest.mass -= share.mass;
  rest.center = (body.mass * body.center - share.mass * share.point) / rest.mass;
  rest.inertia += steiner(body.mass, body.center - rest.center) -
                  steiner(share.mass, share.point - rest.center) - share.inertia;
  return rest;
}

/// The inertias that both sides of a joint have in common.
Mat3 shared_inertia(const ChainAxis& axis) {
  if (!axis.turns) return Mat3::Identity();
  return Mat3::Identity() - axis.direction * axis.direction.transpose();
}

double least_moment(const Mat3& inertia) {
  // A bound from below by Gershgorin would be 0 for many; the determinant and trace do.
  const double trace = inertia.trace();
  return trace > 0 ? 4 * inertia.determinant() / (trace * trace) : 0;
}

}  // namespace

std::vector<ChainAxis> chain_axes(const Robot& robot, const std::vector<Frame>& frames,
                                  const RobotBodies::Chain& chain) {
  std::vector<ChainAxis> axes;
  for (const int number : chain) {
    const RobotJoint& joint = robot.joints[static_cast<std::size_t>(number)];
    const Frame at = frames[static_cast<std::size_t>(joint.parent)] * joint.origin;
    // Behind its own motion: that of a slide has taken the point along, which is as good.
    axes.push_back({number, joint.type, joint.type != JointType::prismatic, at.translation(),
                    (at.linear() * joint.axis).normalized()});
  }
  return axes;
}

bool is_compound(const std::vector<ChainAxis>& axes) {
  const std::span<const ChainAxis> turns = turns_of(axes);
  const std::span<const ChainAxis> slides(axes.data(), axes.size() - turns.size());
  for (std::size_t i = 0; i < slides.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (std::abs(cosine(slides[i], slides[j])) > square) return false;
  for (std::size_t i = 0; i < turns.size(); ++i)
    if (!turns[i].turns || (turns[i].type == JointType::ball && turns.size() > 1)) return false;
  if (turns.size() > 3) return false;
  Vec3 point;
  if (turns.size() > 1 && !meet(turns, point)) return false;
  if (turns.size() == 2) return std::abs(cosine(turns[0], turns[1])) < parallel;
  if (turns.size() == 3)
    return std::abs(cosine(turns[0], turns[1])) < square &&
           std::abs(cosine(turns[1], turns[2])) < square &&
           std::abs(cosine(turns[0], turns[2])) < parallel;
  return true;
}

bool borrow(const std::vector<ChainAxis>& axes, RobotBodies::Body* a, RobotBodies::Body& between,
            RobotBodies::Body& b) {
  if (axes.size() != 2 || axes[1].type == JointType::ball || (!axes[0].turns && !axes[1].turns))
    return false;
  if (axes[0].turns && axes[1].turns && std::abs(cosine(axes[0], axes[1])) > parallel) return false;
  // The mass from the side on which a hinge is, best of the world.
  const bool mass_of_a = axes[0].turns && (!a || !axes[1].turns);
  const double size = least_moment(b.inertia), size_a = a ? least_moment(a->inertia) : size;
  for (double part = 0.1; part > 1e-5; part /= 2) {
    Share of_a, of_b;
    of_a.inertia = part * std::min(size, size_a) * shared_inertia(axes[0]);
    of_b.inertia = part * size * shared_inertia(axes[1]);
    Share& giver = mass_of_a ? of_a : of_b;
    giver.mass = 0.2 * part * (mass_of_a && a ? a->mass : b.mass);
    giver.point = axes[mass_of_a ? 0 : 1].point;
    between.mass = giver.mass;
    between.center = giver.point;
    between.inertia = of_a.inertia + of_b.inertia;
    const RobotBodies::Body rest_b = without(b, of_b);
    const RobotBodies::Body rest_a = a ? without(*a, of_a) : rest_b;
    if (!inertia_fault(between.inertia).empty() || !inertia_fault(rest_a.inertia).empty() ||
        !inertia_fault(rest_b.inertia).empty())
      continue;
    if (a) *a = rest_a;
    b = rest_b;
    return true;
  }
  return false;
}

}  // namespace taut::io
