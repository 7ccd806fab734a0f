// The gap between a core and a point: closed forms, inside and outside.
#include <algorithm>

#include "taut/collision/gjk_internal.hpp"

namespace taut::collision::detail {

namespace {

/// A point and the outward normal of a body at its boundary there.
PointGap from_boundary(const Vec3& p, const Vec3& nearest, const Vec3& normal) {
  return {normal, normal.dot(p - nearest)};
}

/// Outside, at `nearest`, where the body has a corner or an edge; `any` where p is on it.
PointGap from_corner(const Vec3& p, const Vec3& nearest, const Vec3& any) {
  const Vec3 v = p - nearest;
  const double length = v.norm();
  return length > 0 ? PointGap{v / length, length} : PointGap{any, 0};
}

PointGap to_segment(double half, const Vec3& p) {
  return from_corner(p, {0, 0, std::clamp(p.z(), -half, half)}, Vec3::UnitX());
}

PointGap to_box(const Vec3& s, const Vec3& p) {
  const Vec3 beyond = p.cwiseAbs() - s;
  int side = 0;
  const double most = beyond.maxCoeff(&side);
  const Vec3 normal = std::copysign(1, p[side]) * Vec3::Unit(side);
  if ((beyond.array() > 0).count() <= 1) return {normal, most};
  return from_corner(p, p.cwiseMax(-s).cwiseMin(s), normal);
}

/// A body of revolution is seen in the half plane (ρ, z) of the point.
struct HalfPlane {
  double rho, z;
  Vec3 outward;

  explicit HalfPlane(const Vec3& p) : rho(std::sqrt(p.x() * p.x() + p.y() * p.y())), z(p.z()) {
    outward = rho > 0 ? Vec3(p.x() / rho, p.y() / rho, 0) : Vec3(Vec3::UnitX());
  }
  Vec3 vector(double along_rho, double along_z) const {
    return {along_rho * outward.x(), along_rho * outward.y(), along_z};
  }
  PointGap from_corner(double corner_rho, double corner_z, const Vec3& any) const {
    const double dr = rho - corner_rho, dz = z - corner_z;
    const double length = std::sqrt(dr * dr + dz * dz);
    return length > 0 ? PointGap{vector(dr / length, dz / length), length} : PointGap{any, 0};
  }
};

PointGap to_cylinder(double r, double h, const Vec3& p) {
  const HalfPlane q(p);
  const double side = q.rho - r, cap = std::abs(q.z) - h;
  const double up = std::copysign(1, q.z);
  if (side > 0 && cap > 0) return q.from_corner(r, up * h, q.outward);
  return side > cap ? PointGap{q.outward, side} : PointGap{{0, 0, up}, cap};
}

PointGap to_cone(double r, double h, const Vec3& p) {
  const HalfPlane q(p);
  const double slope = std::sqrt(r * r + 4 * h * h);
  const Vec3 side_normal = q.vector(2 * h / slope, r / slope);
  // Above the side line from the apex to the rim, and how far along it.
  const double side = (2 * h * q.rho + r * (q.z - h)) / slope;
  const double along = (r * q.rho - 2 * h * (q.z - h)) / slope;
  const double base = -h - q.z;
  if (side <= 0 && base <= 0)
    return side > base ? PointGap{side_normal, side} : PointGap{{0, 0, -1}, base};
  if (side > 0 && along <= 0) return q.from_corner(0, h, side_normal);
  if (side > 0 && along < slope) return {side_normal, side};
  if (q.rho <= r) return {{0, 0, -1}, base};
  return q.from_corner(r, -h, side_normal);
}

/// The nearest point x solves x_i = e_i² p_i / (t + e_i²) with |x_i/e_i| = 1 for a t above −e_min²
/// (Eberly, Distance from a Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid, 2013). Newton's
/// method from the left climbs to t without overshooting: the function is convex there.
PointGap to_ellipsoid(const Vec3& semi_axes, const Vec3& point) {
  const double unit = semi_axes.maxCoeff();
  const Vec3 e = semi_axes / unit, p = point.cwiseAbs() / unit;
  int k = 0;
  const double least = e.minCoeff(&k);
  Vec3 x = Vec3::Zero();
  const Vec3 squares = e.cwiseAbs2();
  const double pole = squares[k];
  // Where p is in the plane across the shortest axis, x may be beside that plane.
  const auto beside = [&] {
    double level = 0;
    for (int i = 0; i < 3; ++i) {
      if (p[i] == 0) continue;
      if (!(squares[i] > pole)) return false;
      x[i] = squares[i] * p[i] / (squares[i] - pole);
      level += (x[i] / e[i]) * (x[i] / e[i]);
    }
    if (level > 1) return false;
    x[k] = least * std::sqrt(1 - level);
    return true;
  };
  if (p[k] > 0 || !beside()) {
    // t + pole is the unknown: no digits are lost near the pole.
    double s = 0;
    for (int i = 0; i < 3; ++i) s = std::max(s, e[i] * p[i] - (squares[i] - pole));
    for (int step = 0; step < 200; ++step) {
      double value = -1, slope = 0;
      for (int i = 0; i < 3; ++i) {
        if (p[i] == 0) continue;
        const double below = s + (squares[i] - pole);
        const double term = e[i] * p[i] / below;
        value += term * term;
        slope -= 2 * term * term / below;
      }
      const double next = s - value / slope;
      if (!(next > s)) break;
      s = next;
    }
    for (int i = 0; i < 3; ++i)
      x[i] = p[i] == 0 ? 0 : squares[i] * p[i] / (s + (squares[i] - pole));
  }
  Vec3 normal;
  for (int i = 0; i < 3; ++i) {
    x[i] = std::copysign(x[i], point[i]);
    normal[i] = x[i] / squares[i];
  }
  return from_boundary(point, unit * x, normal.normalized());
}

}  // namespace

bool has_point_gap(const Core& core) { return core.type <= CoreType::ellipsoid; }

PointGap point_gap(const Core& core, const Vec3& p) {
  switch (core.type) {
    case CoreType::segment:
      return to_segment(core.size.z(), p);
    case CoreType::box:
      return to_box(core.size, p);
    case CoreType::cylinder:
      return to_cylinder(core.size.x(), core.size.z(), p);
    case CoreType::cone:
      return to_cone(core.size.x(), core.size.z(), p);
    case CoreType::ellipsoid:
      return to_ellipsoid(core.size, p);
    default:
      return from_corner(p, Vec3::Zero(), Vec3::UnitZ());
  }
}

}  // namespace taut::collision::detail
