// What acts between the bodies of JointCoordinates: rows of joints that close loops, one-sided
// rows, springs.
#include <Eigen/Geometry>
#include <cstdlib>

#include "support/joint_coordinates.hpp"

namespace taut::testing {
namespace {

using JointType = Mechanism::JointType;

}  // namespace

void JointCoordinates::Rows::product(const Vector& p, const Vector& q, double scale,
                                     double offset) {
  C.push_back(scale * (p.value.dot(q.value)) + offset);
  bias.push_back(scale * (p.value.dot(q.bias) + q.value.dot(p.bias) + 2 * p.rate.dot(q.rate)));
  G.push_back(scale * (q.J.transpose() * p.value + p.J.transpose() * q.value));
}

void JointCoordinates::Rows::gear(Index first, Index second, double ratio, const VecX& x,
                                  const VecX& u) {
  C.push_back(x[first.x] - ratio * x[second.x]);
  bias.push_back(0);
  G.push_back(VecX::Unit(u.size(), first.u) - ratio * VecX::Unit(u.size(), second.u));
}

void JointCoordinates::Rows::no_slip(const Vector& aside, const Vector& point) {
  C.push_back(0);
  bias.push_back(aside.value.dot(point.bias) + aside.rate.dot(point.rate));
  G.push_back(point.J.transpose() * aside.value);
}

std::pair<Vec3, Vec3> JointCoordinates::square_to(const Vec3& axis) {
  int least = 0;
  axis.cwiseAbs().minCoeff(&least);
  const Vec3 first = axis.cross(Vec3::Unit(least)).normalized();
  return {first, axis.cross(first).normalized()};
}

void JointCoordinates::add_rows(const std::vector<Moving>& all, const Mechanism::Joint& joint,
                                Rows& rows) const {
  const Vec3 axis = joint.axis.normalized();
  const auto [e1, e2] = square_to(axis);
  const Vector d = between(all, {joint.a, joint.at}, {joint.b, joint.at});
  const Vector a1 = direction(all, joint.a, e1), a2 = direction(all, joint.a, e2);
  const Vector b_axis = direction(all, joint.b, axis);
  const auto together = [&] {
    for (int k = 0; k < 3; ++k) rows.product(direction(all, Mechanism::world, Vec3::Unit(k)), d);
  };
  const auto on_axis = [&] {
    rows.product(a1, d);
    rows.product(a2, d);
  };
  const auto aligned = [&] {
    rows.product(a1, b_axis);
    rows.product(a2, b_axis);
  };
  switch (joint.type) {
    case JointType::hinge:
      together();
      aligned();
      return;
    case JointType::slider:
      on_axis();
      aligned();
      rows.product(a1, direction(all, joint.b, e2));
      return;
    case JointType::cylindrical:
      on_axis();
      aligned();
      return;
    case JointType::universal:
      together();
      rows.product(direction(all, joint.a, axis), direction(all, joint.b, joint.second));
      return;
    case JointType::planar:
      rows.product(direction(all, joint.a, axis), d);
      aligned();
      return;
    case JointType::ball:
      together();
      return;
    case JointType::weld:
      together();
      aligned();
      rows.product(a1, direction(all, joint.b, e2));
      return;
    case JointType::screw:
      std::abort();  // closes no loop here
  }
}

void JointCoordinates::add_limits(const std::vector<Moving>& all, const VecX& x, const VecX& u,
                                  OneSided& limits) const {
  Rows rows;
  for (const Mechanism::Rod& rod : m_.rods) {
    if (!rod.is_string) continue;
    const Vector d = between(all, rod.a, rod.b);
    rows.product(d, d, -0.5 / rod.length, 0.5 * rod.length);
  }
  for (const Mechanism::Stop& stop : m_.stops) {
    const Index i = coordinate(stop.joint);
    for (const int side : {1, -1}) {
      const double bound = side > 0 ? stop.lower : stop.upper;
      rows.C.push_back(side * (x[i.x] - bound));
      rows.bias.push_back(0);
      rows.G.push_back(side * VecX::Unit(size_, i.u));
    }
  }
  const auto n = static_cast<Eigen::Index>(rows.C.size());
  limits.gap = Eigen::Map<VecX>(rows.C.data(), n);
  limits.bias = Eigen::Map<VecX>(rows.bias.data(), n);
  limits.G.resize(n, size_);
  for (Eigen::Index i = 0; i < n; ++i) limits.G.row(i) = rows.G[static_cast<std::size_t>(i)];
  limits.rate = limits.G * u;
}

void JointCoordinates::add_springs(const std::vector<Moving>& all, const VecX& x, const VecX& u,
                                   Equations& out) const {
  for (const Mechanism::Spring& spring : m_.springs) {
    if (spring.is_rigid) continue;
    const Vector d = between(all, spring.a, spring.b);
    const double length = d.value.norm();
    const Vec3 along = d.value / length;
    const double extension = length - spring.length;
    out.f -= d.J.transpose() * along *
             (spring.stiffness * extension + spring.damping * along.dot(d.rate));
    out.energy += 0.5 * spring.stiffness * extension * extension;
  }
  for (const Mechanism::JointSpring& spring : m_.joint_springs) {
    const Index i = coordinate(spring.joint);
    const double extension = x[i.x] - spring.rest;
    out.f[i.u] -= spring.stiffness * extension + spring.damping * u[i.u];
    out.energy += 0.5 * spring.stiffness * extension * extension;
  }
}

}  // namespace taut::testing
