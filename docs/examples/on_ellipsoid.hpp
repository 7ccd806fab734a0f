// A bead on the surface of an ellipsoid about the origin, as its formula alone.
#pragma once

#include <taut/constraints/formula.hpp>

struct OnEllipsoid {
  static constexpr std::string_view type = "on_ellipsoid";
  static constexpr std::string_view summary = "a point stays on an ellipsoid about the origin";
  static constexpr std::string_view unit = "m";
  static constexpr int rows = 1;
  static constexpr int anchor_count = 1;

  taut::Point point;
  taut::Vec3 radii{1, 1, 1};

  std::array<taut::Anchor, 1> anchors() const { return {point}; }
  bool depends_on_time() const { return false; }

  // C = (√(Σ (x_i/r_i)²) − 1)·r̄, a length. T is a number that carries its derivatives along.
  template <class T>
  Eigen::Matrix<T, 1, 1> value(const taut::Columns<T, 1>& x, const T& /*time*/) const {
    using std::sqrt;
    T sum(0.0);
    for (int i = 0; i < 3; ++i) sum += x[i] * x[i] / (radii[i] * radii[i]);
    return Eigen::Matrix<T, 1, 1>((sqrt(sum) - 1.0) * radii.mean());
  }
};
