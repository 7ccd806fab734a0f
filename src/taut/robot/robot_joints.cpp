// The joints of a robot: one by one, and several in a row as one (see robot_chain.hpp).
#include <fmt/core.h>

#include <array>
#include <cmath>

#include "taut/base/join.hpp"
#include "taut/constraints/ball.hpp"
#include "taut/constraints/drive.hpp"
#include "taut/constraints/hinge.hpp"
#include "taut/constraints/planar.hpp"
#include "taut/constraints/screw.hpp"
#include "taut/constraints/slider.hpp"
#include "taut/constraints/universal.hpp"
#include "taut/constraints/weld.hpp"
#include "taut/robot/robot_builder_internal.hpp"
#include "taut/robot/robot_chain.hpp"
#include "taut/text/at.hpp"

namespace taut::io::detail {
namespace {

/// One joint, in the tree or closing a loop, with its coordinate at `position`.
void add_joint(RobotAssembly& all, const RobotJoint& joint, double position) {
  if (joint.type == JointType::floating) return;
  const LinkPlace parent = all.place(joint.parent), child = all.place(joint.child);
  const Frame hold = parent.frame * joint.origin;
  const Point a(parent.body, hold.translation());
  const Point b(child.body, child.frame * joint.child_origin.inverse().translation());
  const Direction axis{parent.body, hold.linear() * joint.axis};
  const auto add = [&](auto constraint) {
    constraint.a = a;
    constraint.b = b;
    constraint.axis = axis;
    constrain(all.system, std::move(constraint), all.constraint(joint.name));
  };
  switch (joint.type) {
    case JointType::planar:
      return add(Planar{});
    case JointType::prismatic: {
      Slider slider;
      slider.slide_at_start = position;
      return add(slider);
    }
    case JointType::screw: {
      Screw screw;
      screw.pitch = joint.pitch;
      screw.turn_at_start = position;
      return add(screw);
    }
    case JointType::ball:
      return constrain(all.system, Ball{a, b}, all.constraint(joint.name));
    case JointType::fixed:
      return add(Weld{});
    default: {
      Hinge hinge;
      hinge.turn_at_start = position;
      return add(hinge);
    }
  }
}

/// Several joints as one between two bodies. All is taken where the bodies are at the start.
class CompoundJoint {
 public:
  CompoundJoint(RobotAssembly& all, const RobotBodies::Chain& chain)
      : all_(all), axes_(chain_axes(all.robot, all.frames, chain)) {
    a_ = all.place(joint(axes_.front()).parent).body;
    b_ = all.place(joint(axes_.back()).child).body;
    for (const ChainAxis& axis : axes_) (axis.turns ? turns_ : slides_).push_back(axis);
    has_ball_ = !turns_.empty() && turns_.back().type == JointType::ball;
    std::vector<std::string> names;
    for (const ChainAxis& axis : axes_) names.push_back(joint(axis).name);
    name_ = join(names, "+");
    find_center();
  }

  void add() {
    hold_places();
    hold_turns();
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const RobotJoint& each = joint(axes_[i]);
      if (axes_[i].type == JointType::ball) continue;
      const bool turns = axes_[i].turns;
      Coordinate coordinate = turns ? turn(i - slides_.size()) : slide(slides_[i].direction);
      set_start(coordinate, all_.positions[static_cast<std::size_t>(axes_[i].joint)]);
      all_.system.add_joint({all_.options.prefix + each.name,
                             turns ? "hinge" : "slider",
                             on(a_, center_),
                             on(b_, center_),
                             {{turns ? "turn" : "slide", coordinate}},
                             held_by_});
    }
  }

 private:
  const RobotJoint& joint(const ChainAxis& axis) const {
    return all_.robot.joints[static_cast<std::size_t>(axis.joint)];
  }
  Point on(BodyId body, const Vec3& place) const { return all_.system.point_at(body, place); }
  Direction along(BodyId body, const Vec3& direction) const {
    return all_.system.direction_along(body, direction);
  }

  /// Where the turns meet, a point of b. (With slides only, any.)
  void find_center() {
    center_ = axes_.back().point;
    if (turns_.size() < 2 || has_ball_) return;
    const Vec3 &u = turns_[0].direction, &v = turns_[1].direction;
    const double c = u.dot(v);
    const Vec3 way = turns_[1].point - turns_[0].point;
    center_ = turns_[0].point + (way.dot(u) - c * way.dot(v)) / (1 - c * c) * u;
  }

  void note(std::string name) {
    if (held_by_.empty()) held_by_ = std::move(name);
  }
  /// A row that keeps a coordinate at its value.
  void lock(Coordinate coordinate) {
    set_start(coordinate, measured(coordinate));
    std::string name =
        all_.constraint(name_ + (held_by_.empty() ? "" : "." + std::to_string(++rows_)));
    note(name);
    constrain(all_.system, Drive{coordinate, coordinate.start}, std::move(name));
  }

  /// The place of b: on all directions of a along which nothing slides.
  void hold_places() {
    if (slides_.empty() && turns_.size() == 2 && square(turns_[0], turns_[1])) return;  // universal
    if (slides_.empty()) {
      note(all_.constraint(name_));
      constrain(all_.system, Ball{on(a_, center_), on(b_, center_)}, std::string(held_by_));
      return;
    }
    std::vector<Vec3> free;
    for (const ChainAxis& axis : slides_) free.push_back(axis.direction);
    for (const Vec3& direction : complement(free)) lock(slide(direction));
  }

  void hold_turns() {
    if (has_ball_ || turns_.size() > 2) return;
    if (turns_.size() == 2) {
      const Vec3 &u = turns_[0].direction, &v = turns_[1].direction;
      if (!slides_.empty() || !square(turns_[0], turns_[1])) return lock(cosine(u, v));
      Universal universal;
      universal.a = on(a_, center_);
      universal.b = on(b_, center_);
      universal.axis = along(a_, u);
      universal.second = along(b_, v);
      note(all_.constraint(name_));
      constrain(all_.system, universal, std::string(held_by_));
      all_.system.drop_joint();  // its angles are those of the joints, with their names
      return;
    }
    const Vec3 u = turns_.empty() ? Vec3::UnitX() : turns_[0].direction;
    const std::vector<Vec3> others = complement({u});
    lock(cosine(u, others[0]));
    lock(cosine(u, others[1]));
    if (turns_.empty()) lock(cosine(others[0], others[1]));
  }
  static bool square(const ChainAxis& a, const ChainAxis& b) {
    return std::abs(a.direction.dot(b.direction)) < 1e-9;
  }

  /// Unit vectors that make an orthonormal basis with those given.
  static std::vector<Vec3> complement(std::vector<Vec3> given) {
    std::vector<Vec3> found;
    if (given.size() == 1) {
      found.push_back(any_square_to(given[0]));
      given.push_back(found[0]);
    }
    if (given.size() == 2) found.push_back(given[0].cross(given[1]).normalized());
    return found;
  }

  /// The way of b's centre along a direction of a.
  Coordinate slide(const Vec3& direction) const {
    return {
        Coordinate::Kind::slide, {on(a_, center_), along(a_, direction), on(b_, center_)}, 0, 0};
  }
  /// u·v, of u in a and v in b.
  Coordinate cosine(const Vec3& u, const Vec3& v) const {
    return {Coordinate::Kind::slide,
            {Direction{world_body, Vec3::Zero()}, along(a_, u), along(b_, v)},
            0,
            0};
  }
  /// About one axis: the directions square to it. Of two or three: the first as the last axis is
  /// seen from a, the last as the first axis is seen from b, backwards; the middle one of three
  /// from the angle between these two.
  Coordinate turn(std::size_t i) const {
    const Vec3& u = turns_[i].direction;
    if (turns_.size() == 1) {
      const Vec3 v = any_square_to(u);
      return {Coordinate::Kind::turn, {along(a_, v), along(a_, u.cross(v)), along(b_, v)}, 0, 0};
    }
    const Vec3 &first = turns_.front().direction, &last = turns_.back().direction;
    if (i == 0) {
      const Vec3 p = (last - u * u.dot(last)).normalized();
      return {Coordinate::Kind::turn, {along(a_, p), along(a_, u.cross(p)), along(b_, last)}, 0, 0};
    }
    if (i + 1 == turns_.size()) {
      const Vec3 p = (first - u * u.dot(first)).normalized();
      return {
          Coordinate::Kind::turn, {along(b_, p), along(b_, p.cross(u)), along(a_, first)}, 0, 0};
    }
    const double sign = first.dot(u.cross(last)) < 0 ? -1 : 1;
    return {Coordinate::Kind::tilt, {along(a_, sign * first), along(a_, u), along(b_, last)}, 0, 0};
  }

  double measured(const Coordinate& coordinate) const {
    Coordinate::Places x;
    for (int k = 0; k < 3; ++k)
      x.col(k) = all_.system.initial_place(coordinate.anchors[static_cast<std::size_t>(k)]);
    return coordinate.measured(x);
  }
  void set_start(Coordinate& coordinate, double position) const {
    coordinate.start = position;
    coordinate.shift = position - measured(coordinate);
  }

  RobotAssembly& all_;
  std::vector<ChainAxis> axes_, slides_, turns_;
  BodyId a_, b_;
  bool has_ball_ = false;
  std::string name_, held_by_;
  Vec3 center_;
  int rows_ = 1;
};

}  // namespace

void add_chains(RobotAssembly& all) {
  for (const RobotBodies::Chain& chain : all.bodies.chains) {
    if (chain.size() > 1)
      CompoundJoint(all, chain).add();
    else
      add_joint(all, all.robot.joints[static_cast<std::size_t>(chain[0])],
                all.positions[static_cast<std::size_t>(chain[0])]);
  }
}

void add_loops(RobotAssembly& all) {
  for (const RobotJoint& loop : all.robot.loops) {
    add_joint(all, loop, loop.start);
    if (loop.type != JointType::fixed) continue;
    // A weld keeps the bodies turned to each other as they are at the start.
    const Frame& child = all.frames[static_cast<std::size_t>(loop.child)];
    const Frame wanted =
        all.frames[static_cast<std::size_t>(loop.parent)] * loop.origin * loop.child_origin;
    const double off = Quat(child.linear()).angularDistance(Quat(wanted.linear()));
    if (off > 1e-6)
      all.added.warnings.push_back(
          fmt::format("joint {}: welded as its bodies are at the start, which is {:.3g} rad from "
                      "what the file says: that is not simulated",
                      in_quotes(loop.name), off));
  }
}

}  // namespace taut::io::detail
