#include "taut/server/wires.hpp"

#include <cmath>
#include <numbers>

#include "taut/constraints/on_circle.hpp"
#include "taut/constraints/on_curve.hpp"
#include "taut/constraints/on_line.hpp"
#include "taut/constraints/point_on_spline.hpp"

namespace taut::server {
namespace {

using io::Json;

constexpr int corners = 200;

struct Wire {
  BodyId body;
  std::vector<Vec3> points;
  bool closed = false;
};

Wire wire(const Curve& curve, BodyId body) {
  Wire out{body, {}, curve.is_closed()};
  for (int i = 0; i <= corners; ++i)
    out.points.push_back(curve.at(curve.first() + (curve.last() - curve.first()) * i / corners));
  return out;
}

/// What belongs to another body, seen from the frame of this one, at the start.
Vec3 direction_in(const System& system, const Pose& pose, const Direction& direction, BodyId body) {
  const Vec3 in_world = pose.at(Anchor(direction));
  if (body.is_world() || !system.is_rigid(body)) return in_world;
  return pose.inverses[static_cast<std::size_t>(system.slot(body).rigid)] * in_world;
}

Wire circle(const OnCircle& on, const System& system, const Pose& pose) {
  Wire out{on.center.body, {}, true};
  const Vec3 axis = direction_in(system, pose, on.axis, on.center.body).normalized();
  const Vec3 first = axis.unitOrthogonal(), second = axis.cross(first);
  for (int i = 0; i < corners; ++i) {
    const double angle = 2 * std::numbers::pi * i / corners;
    out.points.push_back(on.center.local +
                         on.radius * (std::cos(angle) * first + std::sin(angle) * second));
  }
  return out;
}

Wire line(const OnLine& on, const System& system, const Pose& pose, double size) {
  const Vec3 along = direction_in(system, pose, on.along, on.through.body).normalized();
  return {on.through.body, {on.through.local - size * along, on.through.local + size * along}};
}

}  // namespace

Json wires_json(const System& system, const BodyOrder& order, double size) {
  Json all = Json::array();
  const State start = system.initial_state();
  const Pose pose(system, start.q);
  for (const auto& batch : system.constraints())
    for (int i = 0; i < batch->size(); ++i) {
      const void* object = batch->object(i);
      Wire found;
      if (batch->type() == OnCurve::type)
        found = wire(static_cast<const OnCurve*>(object)->curve, world_body);
      else if (batch->type() == PointOnSpline::type)
        found = wire(static_cast<const PointOnSpline*>(object)->curve,
                     static_cast<const PointOnSpline*>(object)->body);
      else if (batch->type() == OnCircle::type)
        found = circle(*static_cast<const OnCircle*>(object), system, pose);
      else if (batch->type() == OnLine::type)
        found = line(*static_cast<const OnLine*>(object), system, pose, size);
      else
        break;
      Json points = Json::array();
      for (const Vec3& point : found.points)
        points.push_back(Json::array({point.x(), point.y(), point.z()}));
      all.push_back({{"name", batch->name(i)},
                     {"body", order.of(found.body)},
                     {"points", std::move(points)},
                     {"closed", found.closed}});
    }
  return all;
}

}  // namespace taut::server
