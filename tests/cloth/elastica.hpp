// The heavy elastica: an inextensible rod that is clamped at one end and bends under its weight.
#pragma once

#include <cmath>

#include "taut/base/types.hpp"

namespace taut::testing {

/// With θ the slope downwards, B θ' is the moment of the weight beyond, so that
///   B θ'' = −w (L − s) cos θ,   θ(0) = 0,   θ'(L) = 0.
/// By shooting from the clamp. Where the end is, relative to L = 1; `load` is w L³/B.
inline Vec3 elastica_tip(double load, int steps) {
  using Vec4 = Eigen::Vector4d;  // θ, θ', x, y
  const auto rate = [&](double s, const Vec4& u) {
    return Vec4(u[1], -load * (1 - s) * std::cos(u[0]), std::cos(u[0]), -std::sin(u[0]));
  };
  const auto shoot = [&](double curvature) {
    Vec4 u(0, curvature, 0, 0);
    const double h = 1.0 / steps;
    for (int i = 0; i < steps; ++i) {
      const double s = i * h;
      const Vec4 a = rate(s, u), b = rate(s + h / 2, u + h / 2 * a),
                 c = rate(s + h / 2, u + h / 2 * b), d = rate(s + h, u + h * c);
      u += h / 6 * (a + 2 * b + 2 * c + d);
    }
    return u;
  };
  double low = 0, high = 0.5 * load;  // the latter if it stayed straight
  for (int i = 0; i < 60; ++i) {
    const double curvature = 0.5 * (low + high);
    (shoot(curvature)[1] < 0 ? low : high) = curvature;
  }
  const Vec4 u = shoot(low);
  return {u[2], u[3], 0};
}

}  // namespace taut::testing
