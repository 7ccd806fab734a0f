#include "support/joint_coordinates.hpp"

#include <Eigen/Geometry>
#include <numbers>

namespace taut::testing {
namespace {

using JointType = Mechanism::JointType;

Mat3 turned(const Vec3& axis, double angle) {
  return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}
Quat turn_by(const Vec3& vector) {
  const double angle = vector.norm();
  if (angle == 0) return Quat::Identity();
  return Quat(Eigen::AngleAxisd(angle, vector / angle));
}
Quat quaternion(const VecX& x, int at) {
  return Quat(x[at], x[at + 1], x[at + 2], x[at + 3]).normalized();
}
void put(VecX& x, int at, const Quat& q) { x.segment<4>(at) << q.w(), q.x(), q.y(), q.z(); }
}  // namespace

JointCoordinates::JointCoordinates(const Mechanism& mechanism)
    : m_(mechanism), index_of_joint_(mechanism.joints.size()) {
  std::vector<char> reached(m_.bodies.size(), 0), used(m_.joints.size(), 0);
  for (std::size_t i = 0; i < m_.bodies.size(); ++i) {
    if (m_.bodies[i].rigid) continue;
    TreeBody free{static_cast<int>(i), Mechanism::world, m_.bodies[i].place, {}};
    for (int k = 0; k < 3; ++k) add(free, Step::slide, Vec3::Unit(k));
    tree_.push_back(free);
    reached[i] = 1;
  }
  for (bool grown = true; grown;) {
    grown = false;
    for (std::size_t i = 0; i < m_.joints.size(); ++i) {
      const Mechanism::Joint& joint = m_.joints[i];
      if (used[i] || joint.is_implied || reached[static_cast<std::size_t>(joint.b)]) continue;
      if (joint.a != Mechanism::world && !reached[static_cast<std::size_t>(joint.a)]) continue;
      plant(static_cast<int>(i));
      used[i] = reached[static_cast<std::size_t>(joint.b)] = 1;
      grown = true;
    }
  }
  for (std::size_t i = 0; i < m_.bodies.size(); ++i) {
    if (reached[i]) continue;
    TreeBody free{static_cast<int>(i), Mechanism::world, m_.bodies[i].place, {}};
    for (int k = 0; k < 3; ++k) add(free, Step::slide, Vec3::Unit(k));
    add(free, Step::ball, Vec3::Zero());
    tree_.push_back(free);
  }
  for (std::size_t i = 0; i < m_.joints.size(); ++i)
    if (!used[i] && !m_.joints[i].is_implied) cuts_.push_back(static_cast<int>(i));

  start_ = VecX::Zero(x_size_);
  for (const TreeBody& each : tree_)
    for (const Primitive& primitive : each.primitives)
      if (primitive.step == Step::ball) start_[primitive.x] = 1;
  freedoms_ = m_.freedoms;
  if (freedoms_ < 0) {
    const Equations at_start = equations(start_, VecX::Zero(size_));
    freedoms_ = size_ - static_cast<int>(at_start.C.size());
  }
}

void JointCoordinates::add(TreeBody& body, Step step, const Vec3& axis, double pitch) {
  body.primitives.push_back({step, axis, pitch, x_size_, size_});
  x_size_ += step == Step::ball ? 4 : 1;
  size_ += step == Step::ball ? 3 : 1;
}

// A joint that reaches a new body becomes part of the tree.
void JointCoordinates::plant(int joint_number) {
  const Mechanism::Joint& joint = m_.joints[static_cast<std::size_t>(joint_number)];
  TreeBody body{joint.b, joint.a, joint.at, {}};
  const Index first{x_size_, size_};
  const Vec3 axis = joint.axis.normalized();
  const auto [e1, e2] = square_to(axis);
  switch (joint.type) {
    case JointType::hinge:
      add(body, Step::turn, axis);
      break;
    case JointType::slider:
      add(body, Step::slide, axis);
      break;
    case JointType::cylindrical:
      add(body, Step::slide, axis);
      add(body, Step::turn, axis);
      break;
    case JointType::universal:
      add(body, Step::turn, axis);
      add(body, Step::turn, joint.second.normalized());
      break;
    case JointType::planar:
      add(body, Step::slide, e1);
      add(body, Step::slide, e2);
      add(body, Step::turn, axis);
      break;
    case JointType::screw:
      add(body, Step::screw, axis, joint.pitch / (2 * std::numbers::pi));
      break;
    case JointType::ball:
      add(body, Step::ball, Vec3::Zero());
      break;
    case JointType::weld:
      break;
  }
  if (size_ == first.u + 1) index_of_joint_[static_cast<std::size_t>(joint_number)] = first;
  tree_.push_back(body);
}

VecX JointCoordinates::rate(const VecX& x, const VecX& u) const {
  VecX out(x_size_);
  for (const TreeBody& each : tree_)
    for (const Primitive& p : each.primitives) {
      if (p.step != Step::ball) {
        out[p.x] = u[p.u];
        continue;
      }
      const Quat spin(0, u[p.u], u[p.u + 1], u[p.u + 2]);
      const Quat q(x[p.x], x[p.x + 1], x[p.x + 2], x[p.x + 3]);
      const Quat product = spin * q;
      out.segment<4>(p.x) << 0.5 * product.w(), 0.5 * product.x(), 0.5 * product.y(),
          0.5 * product.z();
    }
  return out;
}

VecX JointCoordinates::moved(const VecX& x, const VecX& displacement) const {
  VecX out(x_size_);
  for (const TreeBody& each : tree_)
    for (const Primitive& p : each.primitives) {
      if (p.step != Step::ball) {
        out[p.x] = x[p.x] + displacement[p.u];
        continue;
      }
      put(out, p.x, turn_by(displacement.segment<3>(p.u)) * quaternion(x, p.x));
    }
  return out;
}

JointCoordinates::Moving JointCoordinates::still(const Vec3& place) const {
  Moving moving;
  moving.place = place;
  moving.Jv = moving.Jw = Mat3X::Zero(3, size_);
  return moving;
}

// From one point of a body to another, `arm` away.
void JointCoordinates::carry(Moving& moving, const Vec3& arm) const {
  moving.place += arm;
  moving.v += moving.w.cross(arm);
  moving.a += moving.alpha.cross(arm) + moving.w.cross(moving.w.cross(arm));
  for (int k = 0; k < size_; ++k) {
    const Vec3 column = moving.Jw.col(k);
    moving.Jv.col(k) += column.cross(arm);
  }
}

std::vector<JointCoordinates::Moving> JointCoordinates::bodies(const VecX& x, const VecX& u) const {
  std::vector<Moving> all(m_.bodies.size());
  for (const TreeBody& each : tree_) {
    const bool on_world = each.parent == Mechanism::world;
    Moving m = on_world ? still(each.at) : all[static_cast<std::size_t>(each.parent)];
    if (!on_world)
      carry(m, m.turn * (each.at - m_.bodies[static_cast<std::size_t>(each.parent)].place));
    for (const Primitive& p : each.primitives) {
      const Vec3 axis = m.turn * p.axis;
      if (p.step == Step::slide || p.step == Step::screw) {
        const double per = p.step == Step::slide ? 1 : p.pitch;
        carry(m, axis * (per * x[p.x]));
        m.a += 2 * m.w.cross(axis) * (per * u[p.u]);
        m.v += axis * (per * u[p.u]);
        m.Jv.col(p.u) += per * axis;
      }
      if (p.step == Step::turn || p.step == Step::screw) {
        m.alpha += m.w.cross(axis) * u[p.u];
        m.w += axis * u[p.u];
        m.Jw.col(p.u) += axis;
        m.turn = m.turn * turned(p.axis, x[p.x]);
      }
      if (p.step == Step::ball) {
        const Vec3 spin = m.turn * u.segment<3>(p.u);
        m.alpha += m.w.cross(spin);
        m.w += spin;
        m.Jw.block<3, 3>(0, p.u) += m.turn;
        m.turn = m.turn * quaternion(x, p.x).toRotationMatrix();
      }
    }
    const Mechanism::Body& body = m_.bodies[static_cast<std::size_t>(each.body)];
    carry(m, m.turn * (body.place - each.at));
    all[static_cast<std::size_t>(each.body)] = m;
  }
  return all;
}

JointCoordinates::Vector JointCoordinates::point(const std::vector<Moving>& all,
                                                 const Mechanism::Place& place) const {
  Moving m = still(place.at);
  if (place.body != Mechanism::world) {
    m = all[static_cast<std::size_t>(place.body)];
    const Mechanism::Body& body = m_.bodies[static_cast<std::size_t>(place.body)];
    if (body.rigid) carry(m, m.turn * (place.at - body.place));
  }
  return {m.place, m.v, m.a, m.Jv};
}

JointCoordinates::Vector JointCoordinates::direction(const std::vector<Moving>& all, int body,
                                                     const Vec3& d) const {
  if (body == Mechanism::world) return {d, Vec3::Zero(), Vec3::Zero(), Mat3X::Zero(3, size_)};
  const Moving& m = all[static_cast<std::size_t>(body)];
  Vector out{m.turn * d, Vec3::Zero(), Vec3::Zero(), Mat3X(3, size_)};
  out.rate = m.w.cross(out.value);
  out.bias = m.alpha.cross(out.value) + m.w.cross(out.rate);
  for (int k = 0; k < size_; ++k) {
    const Vec3 column = m.Jw.col(k);
    out.J.col(k) = column.cross(out.value);
  }
  return out;
}

JointCoordinates::Vector JointCoordinates::between(const std::vector<Moving>& all,
                                                   const Mechanism::Place& a,
                                                   const Mechanism::Place& b) const {
  const Vector from = point(all, a), to = point(all, b);
  return {to.value - from.value, to.rate - from.rate, to.bias - from.bias, to.J - from.J};
}

JointCoordinates::Equations JointCoordinates::equations(const VecX& x, const VecX& u) const {
  const std::vector<Moving> all = bodies(x, u);
  Equations out;
  out.M = MatX::Zero(size_, size_);
  out.f = VecX::Zero(size_);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Mechanism::Body& body = m_.bodies[i];
    const Moving& m = all[i];
    out.M.noalias() += body.mass * (m.Jv.transpose() * m.Jv);
    out.f.noalias() += m.Jv.transpose() * (body.mass * (m_.gravity - m.a));
    out.energy += 0.5 * body.mass * m.v.squaredNorm() - body.mass * m_.gravity.dot(m.place);
    if (!body.rigid) continue;
    // Along the axes of the body: what little inertia a thin one has about its axis is not lost in
    // what it has across.
    const Mat3 frame = m.turn * body.orientation.toRotationMatrix();
    const Mat3X J = frame.transpose() * m.Jw;
    const Vec3 w = frame.transpose() * m.w, momentum = body.inertia * w;
    out.M.noalias() += J.transpose() * body.inertia * J;
    out.f.noalias() -=
        J.transpose() * (body.inertia * (frame.transpose() * m.alpha) + w.cross(momentum));
    out.energy += 0.5 * w.dot(momentum);
  }
  add_springs(all, x, u, out);
  Rows rows;
  for (const int cut : cuts_) add_rows(all, m_.joints[static_cast<std::size_t>(cut)], rows);
  const auto add_rod = [&](const Mechanism::Place& a, const Mechanism::Place& b, double length) {
    const Vector d = between(all, a, b);
    rows.product(d, d, 0.5 / length, -0.5 * length);
  };
  for (const Mechanism::Rod& rod : m_.rods)
    if (!rod.is_string && !rod.is_implied)
      add_rod(rod.a, rod.b, rod.length > 0 ? rod.length : (rod.a.at - rod.b.at).norm());
  for (const Mechanism::Spring& spring : m_.springs)
    if (spring.is_rigid) add_rod(spring.a, spring.b, (spring.a.at - spring.b.at).norm());
  for (const Mechanism::Gear& gear : m_.gears)
    if (!gear.is_implied)
      rows.gear(coordinate(gear.first), coordinate(gear.second), gear.ratio, x, u);
  for (const Mechanism::Skate& skate : m_.skates) {
    const Vec3 aside = skate.normal.cross(skate.edge).normalized();
    rows.no_slip(direction(all, skate.at.body, aside), point(all, skate.at));
  }
  const auto n = static_cast<Eigen::Index>(rows.C.size());
  out.C = Eigen::Map<VecX>(rows.C.data(), n);
  out.bias = Eigen::Map<VecX>(rows.bias.data(), n);
  out.G.resize(n, size_);
  for (Eigen::Index i = 0; i < n; ++i) out.G.row(i) = rows.G[static_cast<std::size_t>(i)];
  add_limits(all, x, u, out.limits);
  return out;
}

JointCoordinates::Reduced JointCoordinates::reduce(const Equations& e) const {
  Reduced out;
  const Eigen::Index rank = size_ - freedoms_;
  out.u0 = VecX::Zero(size_);
  out.N = MatX::Identity(size_, size_);
  out.weakest_row = 1;
  if (e.C.size() > 0) {
    const OrthogonalFactors qr(e.G.transpose());
    out.weakest_row = std::abs(qr.R(rank - 1, rank - 1) / qr.R(0, 0));
    VecX along(rank);  // Rᵀ along = bias, and G = (Q R)ᵀ
    for (Eigen::Index k = 0; k < rank; ++k) {
      along[k] = e.bias[qr.column[static_cast<std::size_t>(k)]];
      for (Eigen::Index i = 0; i < k; ++i) along[k] -= qr.R(i, k) * along[i];
      along[k] /= qr.R(k, k);
      out.u0 -= qr.Q.col(k) * along[k];
    }
    out.N = qr.Q.rightCols(freedoms_);
  }
  out.A = Cholesky(product(out.N.transpose(), product(e.M, out.N)));
  out.z = out.A.solve(out.N.transpose() * (e.f - e.M * out.u0));
  return out;
}

bool JointCoordinates::project(VecX& x, VecX& u) const {
  Equations e = equations(x, u);
  if (e.C.size() == 0) return true;
  for (int pass = 0; pass < 6 && e.C.lpNorm<Eigen::Infinity>() > 1e-15; ++pass) {
    e.bias = e.C;  // u0 then is the displacement that the rows ask for
    x = moved(x, reduce(e).u0);
    e = equations(x, u);
  }
  const Reduced reduced = reduce(e);
  u = reduced.N * VecX(reduced.A.solve(reduced.N.transpose() * (e.M * u)));
  return e.C.lpNorm<Eigen::Infinity>() < 1e-12;
}

std::vector<JointCoordinates::Pose> JointCoordinates::poses(const VecX& x, const VecX& u) const {
  std::vector<Pose> out;
  for (const Moving& m : bodies(x, u)) out.push_back({m.place, Quat(m.turn), m.v, m.w});
  return out;
}

}  // namespace taut::testing
