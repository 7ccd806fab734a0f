#include "taut/constraints/joint_frame.hpp"

#include <cmath>
#include <string>

#include "taut/base/error.hpp"
#include "taut/model/system.hpp"

namespace taut {

Vec3 any_square_to(const Vec3& u) {
  int least = 0;
  for (int i = 1; i < 3; ++i)
    if (std::abs(u[i]) < std::abs(u[least])) least = i;
  return u.cross(Vec3::Unit(least)).normalized();
}

void JointFrame::complete(const System& system, std::string_view type) {
  locate(system, type);
  const Vec3 u = unit_along(system.initial_place(axis), "axis");
  set_directions(system, u, any_square_to(u));
}

void JointFrame::locate(const System& system, std::string_view type) {
  if (a && a->body == b.body) throw Error(std::string(type) + ": a and b are on the same body");
  if (at) {
    if (!b.local.isZero(0) || (a && !a->body.is_world() && !a->local.isZero(0)))
      throw Error("at: points of the joint on a or b are given as well; expected one or the other");
    b = system.point_at(b.body, *at);
    a = system.point_at(a ? a->body : world_body, *at);
  } else if (!a) {
    a = world_point(system.initial_place(b));
  }
  for (const BodyId body : {a->body, b.body})
    if (!body.is_world() && !system.is_rigid(body))
      throw Error(std::string(type) + ": \"" + system.body_name(body) +
                  "\" is a particle, which does not turn; expected a rigid body or the world");
}

void JointFrame::set_directions(const System& system, const Vec3& u, const Vec3& v) {
  const Vec3 w = u.cross(v);
  ua = system.direction_along(a->body, u);
  va = system.direction_along(a->body, v);
  wa = system.direction_along(a->body, w);
  ub = system.direction_along(b.body, u);
  vb = system.direction_along(b.body, v);
  wb = system.direction_along(b.body, w);
}

Vec3 JointFrame::unit_along(const Vec3& direction, const char* name) {
  if (!(direction.norm() > 0))
    throw Error(std::string(name) + ": a direction must not be the zero vector");
  return direction.normalized();
}

Coordinate JointFrame::turn(double start) const {
  return {Coordinate::Kind::turn, {va, wa, vb}, start, start};
}

Coordinate JointFrame::slide(const System& system, const Direction& along,
                             std::optional<double> start) const {
  Coordinate slide{Coordinate::Kind::slide, {*a, along, b}, 0, 0};
  Coordinate::Places x;
  for (int k = 0; k < 3; ++k)
    x.col(k) = system.initial_place(slide.anchors[static_cast<std::size_t>(k)]);
  slide.start = start.value_or(slide.measured(x));
  slide.shift = slide.start - slide.measured(x);
  return slide;
}

FieldList<JointFrame> joint_fields(std::string_view axis) {
  FieldList<JointFrame> fields;
  fields
      .optional("a", &JointFrame::a, "",
                "the supporting body, or the joint's point on it; the world if not given")
      .required("b", &JointFrame::b, "", "the supported body, or the joint's point on it")
      .optional("at", &JointFrame::at, "m",
                "position of the joint at the start, in the world; instead of points on a and b");
  if (!axis.empty()) fields.optional("axis", &JointFrame::axis, "", axis);
  return fields;
}

}  // namespace taut
