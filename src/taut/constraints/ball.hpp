// Two points coincide (ball and socket): C = b − a.
#pragma once

#include <tuple>

#include "taut/base/field.hpp"
#include "taut/constraints/constraint_batch.hpp"

namespace taut {

struct Ball {
  static constexpr std::string_view type = "ball";
  static constexpr std::string_view summary = "two points coincide: a ball-and-socket joint";
  static constexpr std::string_view unit = "m";
  static constexpr int rows = 3;
  static constexpr int anchor_count = 2;
  static constexpr bool quadratic = true;

  Point a, b;

  static constexpr auto fields() {
    return std::tuple{required("a", &Ball::a, "", "one point"),
                      required("b", &Ball::b, "", "the point that stays on it")};
  }

  std::array<Anchor, 2> anchors() const { return {a, b}; }
  bool depends_on_time() const { return false; }

  void linearize(const Columns<double, 2>& x, double, Linearization<3, 2>& out) const {
    out.C = x.col(1) - x.col(0);
    out.C_t.setZero();
    for (int r = 0; r < 3; ++r) out.gradient[r] << -Vec3::Unit(r), Vec3::Unit(r);
  }
  Vec3 bias(const Columns<double, 2>&, const Columns<double, 2>&, double) const {
    return Vec3::Zero();
  }
  Eigen::Matrix<double, 6, 6> curvature(const Columns<double, 2>&, double, const Vec3&) const {
    return Eigen::Matrix<double, 6, 6>::Zero();
  }
  double error(const Columns<double, 2>& x, double) const { return (x.col(1) - x.col(0)).norm(); }
};

}  // namespace taut
