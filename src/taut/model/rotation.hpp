// Finite rotations as unit quaternions and as vectors. Increments are in the body's frame:
// R⁺ = R·exp(θ) or R·cay(a). For a further small turn η of the end, R⁺·exp(η), the vector changes
// by a matrix times η: the inverse tangents below.
#pragma once

#include <cmath>

#include "taut/base/types.hpp"

namespace taut {

inline Quat quaternion_at(const double* wxyz) { return {wxyz[0], wxyz[1], wxyz[2], wxyz[3]}; }

inline Mat3 cross_matrix(const Vec3& a) {
  Mat3 cross;
  cross << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return cross;
}

/// The turn by |θ| about θ.
inline Quat exponential(const Vec3& theta) {
  const double angle = theta.norm();
  // sin(angle/2)/angle, by its series where the quotient would lose digits
  const double s = angle > 1e-4 ? std::sin(0.5 * angle) / angle : 0.5 - angle * angle / 48;
  return {std::cos(0.5 * angle), s * theta.x(), s * theta.y(), s * theta.z()};
}

/// θ with exp(θ) = q, |θ| ≤ π.
inline Vec3 logarithm(const Quat& q) {
  const double sign = q.w() < 0 ? -1 : 1;
  const double s = q.vec().norm(), w = sign * q.w();
  const double factor = s > 1e-4 ? 2 * std::atan2(s, w) / s : 2 / w - 2 * s * s / (3 * w * w * w);
  return (sign * factor) * q.vec();
}

/// dθ = T η for exp(θ + dθ) = exp(θ)·exp(η): 1 + ½θ× + c θ×θ×, c = (1 − (|θ|/2)cot(|θ|/2))/|θ|².
inline Mat3 logarithm_tangent(const Vec3& theta) {
  const double angle = theta.norm();
  const double c = angle > 1e-2 ? (1 - 0.5 * angle / std::tan(0.5 * angle)) / (angle * angle)
                                : 1.0 / 12 + angle * angle / 720;
  const Mat3 cross = cross_matrix(theta);
  return Mat3::Identity() + 0.5 * cross + c * cross * cross;
}

/// a with cay(a) = (1 − ½a×)⁻¹(1 + ½a×) = q: along the axis, 2 tan(angle/2) long.
inline Vec3 inverse_cayley(const Quat& q) { return (2 / q.w()) * q.vec(); }

/// da = T η for cay(a + da) = cay(a)·exp(η): 1 + ½a× + ¼a aᵀ.
inline Mat3 inverse_cayley_tangent(const Vec3& a) {
  return Mat3::Identity() + 0.5 * cross_matrix(a) + 0.25 * a * a.transpose();
}

}  // namespace taut
