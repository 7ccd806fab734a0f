#include "taut/model/rotation.hpp"

#include <cmath>

namespace taut {

Mat3 cross_matrix(const Vec3& a) {
  Mat3 cross;
  cross << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return cross;
}

Quat exponential(const Vec3& theta) {
  const double angle = theta.norm();
  // sin(angle/2)/angle, by its series where the quotient would lose digits
  const double s = angle > 1e-4 ? std::sin(0.5 * angle) / angle : 0.5 - angle * angle / 48;
  return {std::cos(0.5 * angle), s * theta.x(), s * theta.y(), s * theta.z()};
}

Vec3 logarithm(const Quat& q) {
  const double sign = q.w() < 0 ? -1 : 1;
  const double s = q.vec().norm(), w = sign * q.w();
  const double factor = s > 1e-4 ? 2 * std::atan2(s, w) / s : 2 / w - 2 * s * s / (3 * w * w * w);
  return (sign * factor) * q.vec();
}

Mat3 logarithm_tangent(const Vec3& theta) {
  const double angle = theta.norm();
  const double c = angle > 1e-2 ? (1 - 0.5 * angle / std::tan(0.5 * angle)) / (angle * angle)
                                : 1.0 / 12 + angle * angle / 720;
  const Mat3 cross = cross_matrix(theta);
  return Mat3::Identity() + 0.5 * cross + c * cross * cross;
}

Vec3 inverse_cayley(const Quat& q) { return (2 / q.w()) * q.vec(); }

Mat3 inverse_cayley_tangent(const Vec3& a) {
  return Mat3::Identity() + 0.5 * cross_matrix(a) + 0.25 * a * a.transpose();
}

}  // namespace taut
