// Integrals of 1, x and x xᵀ over bodies.
#pragma once

#include "taut/collision/shape.hpp"

namespace taut::collision::detail {

struct Moments {
  double volume = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();

  Moments& operator+=(const Moments& other) {
    volume += other.volume;
    first += other.first;
    second += other.second;
    return *this;
  }
  /// With the fourth corner at the origin; negative where a, b, c appear clockwise from outside.
  void add_tetrahedron(const Vec3& a, const Vec3& b, const Vec3& c) {
    const double v = a.dot(b.cross(c)) / 6;
    const Vec3 sum = a + b + c;
    volume += v;
    first += v / 4 * sum;
    second += v / 20 *
              (sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
  }
  /// Of the body turned by R and then moved.
  Moments moved(const Mat3& R, const Vec3& by) const {
    Moments m;
    const Vec3 turned = R * first;
    m.volume = volume;
    m.first = turned + volume * by;
    m.second = R * second * R.transpose() + turned * by.transpose() + by * turned.transpose() +
               volume * by * by.transpose();
    return m;
  }
};

/// A box as a polyhedron.
Hull box_hull(const Vec3& half_size);

/// Of a polyhedron with a ball of this radius around every point.
Moments polyhedron_moments(const Hull& hull, double radius);

}  // namespace taut::collision::detail
