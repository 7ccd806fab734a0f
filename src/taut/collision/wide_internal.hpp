// Numbers of about 106 bits: an unevaluated sum of two doubles, hi + lo with |lo| ≤ ulp(hi)/2.
//
// Each operation has a relative error below 2⁻¹⁰⁰ (Joldes, Muller, Popescu, Tight and rigorous
// error bounds for basic building blocks of double-word arithmetic, 2017: sums 3u², products 5u²,
// quotients 15u², with u² = 2⁻¹⁰⁶), as long as nothing under- or overflows. Differences and
// products of two doubles are exact.
#pragma once

#include <array>
#include <cmath>

#include "taut/base/types.hpp"

namespace taut::collision::detail {

struct Wide {
  double hi = 0, lo = 0;
};

inline Wide sum_of(double a, double b) {
  const double s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}
inline Wide quick_sum_of(double a, double b) {  // |a| ≥ |b|
  const double s = a + b;
  return {s, b - (s - a)};
}
inline Wide product_of(double a, double b) {
  const double p = a * b;
  return {p, std::fma(a, b, -p)};
}
inline Wide operator-(const Wide& a) { return {-a.hi, -a.lo}; }
inline Wide operator+(const Wide& a, const Wide& b) {
  Wide s = sum_of(a.hi, b.hi);
  const Wide t = sum_of(a.lo, b.lo);
  s = quick_sum_of(s.hi, s.lo + t.hi);
  return quick_sum_of(s.hi, s.lo + t.lo);
}
inline Wide operator-(const Wide& a, const Wide& b) { return a + -b; }
inline Wide operator*(const Wide& a, const Wide& b) {
  const Wide p = product_of(a.hi, b.hi);
  const double low = std::fma(a.lo, b.hi, a.hi * b.lo);
  return quick_sum_of(p.hi, p.lo + std::fma(a.lo, b.lo, low));
}
inline Wide operator/(const Wide& a, const Wide& b) {
  const double first = a.hi / b.hi;
  const Wide rest = a - b * Wide{first};
  return quick_sum_of(first, rest.hi / b.hi);
}
inline Wide magnitude(const Wide& a) { return a.hi < 0 ? -a : a; }
inline bool is_positive(const Wide& a) { return a.hi > 0; }

using WideVec3 = std::array<Wide, 3>;

/// Exact.
inline WideVec3 difference(const Vec3& a, const Vec3& b) {
  return {sum_of(a[0], -b[0]), sum_of(a[1], -b[1]), sum_of(a[2], -b[2])};
}
inline WideVec3 operator-(const WideVec3& a) { return {-a[0], -a[1], -a[2]}; }
inline WideVec3 operator+(const WideVec3& a, const WideVec3& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline WideVec3 operator-(const WideVec3& a, const WideVec3& b) { return a + -b; }
inline WideVec3 operator*(const Wide& s, const WideVec3& a) {
  return {s * a[0], s * a[1], s * a[2]};
}
inline Wide dot(const WideVec3& a, const WideVec3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline WideVec3 cross(const WideVec3& a, const WideVec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

}  // namespace taut::collision::detail
