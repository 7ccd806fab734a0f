// What rows that are functions of a joint's coordinate have in common.
#pragma once

#include <array>
#include <cmath>

#include "taut/constraints/constraint_batch.hpp"
#include "taut/model/coordinate.hpp"

namespace taut {

/// One row C = c − … of the coordinate `joint` of Data.
template <class Data>
struct CoordinateRow : Data {
  static constexpr int rows = 1;
  static constexpr int anchor_count = 3;

  std::array<Anchor, 3> anchors() const { return this->joint.anchors; }
  bool is_angle(int) const { return this->joint.is_turn(); }
  Eigen::Matrix<double, 9, 9> curvature(const Columns<double, 3>& x, double,
                                        const Eigen::Matrix<double, 1, 1>& lambda) const {
    return lambda[0] * this->joint.curvature(x);
  }
  void gradient_between(const Columns<double, 3>& x0, const Columns<double, 3>& x1,
                        const Columns<double, 3>& mean, Linearization<1, 3>& out) const {
    out.gradient[0] = this->joint.gradient_between(x0, x1, mean);
  }
};

/// One row C = w₁ m₁ + w₂ m₂, of what two coordinates, `first` and `second` of Data, have moved
/// since the start. A turn is known up to a whole one, so C is known up to `period`, and taken
/// nearest to zero: as with teeth, that cannot be told apart after a turn and need not be.
template <class Data>
struct CoordinatePair : Data {
  static constexpr int rows = 1;
  static constexpr int anchor_count = 6;
  using Data::first, Data::second;

  double first_weight = 1, second_weight = 1, period = 0;

  std::array<Anchor, 6> anchors() const {
    const auto& [a, b, c] = first.anchors;
    const auto& [d, e, f] = second.anchors;
    return {a, b, c, d, e, f};
  }
  bool depends_on_time() const { return false; }
  bool is_angle(int) const { return first.is_turn(); }

  double value(const Columns<double, 6>& x) const {
    const double value = first_weight * first.moved(x.leftCols<3>()) +
                         second_weight * second.moved(x.rightCols<3>());
    return period > 0 ? std::remainder(value, period) : value;
  }
  void linearize(const Columns<double, 6>& x, double, Linearization<1, 6>& out) const {
    out.C[0] = value(x);
    out.C_t[0] = 0;
    out.gradient[0] << first_weight * first.gradient(x.leftCols<3>()),
        second_weight * second.gradient(x.rightCols<3>());
  }
  Eigen::Matrix<double, 1, 1> bias(const Columns<double, 6>& x, const Columns<double, 6>& rate,
                                   double) const {
    return Eigen::Matrix<double, 1, 1>(
        first_weight * first.bias(x.leftCols<3>(), rate.leftCols<3>()) +
        second_weight * second.bias(x.rightCols<3>(), rate.rightCols<3>()));
  }
  Eigen::Matrix<double, 18, 18> curvature(const Columns<double, 6>& x, double,
                                          const Eigen::Matrix<double, 1, 1>& lambda) const {
    Eigen::Matrix<double, 18, 18> H = Eigen::Matrix<double, 18, 18>::Zero();
    H.topLeftCorner<9, 9>() = (lambda[0] * first_weight) * first.curvature(x.leftCols<3>());
    H.bottomRightCorner<9, 9>() = (lambda[0] * second_weight) * second.curvature(x.rightCols<3>());
    return H;
  }
  void gradient_between(const Columns<double, 6>& x0, const Columns<double, 6>& x1,
                        const Columns<double, 6>& mean, Linearization<1, 6>& out) const {
    out.gradient[0] << first_weight * first.gradient_between(x0.leftCols<3>(), x1.leftCols<3>(),
                                                             mean.leftCols<3>()),
        second_weight *
            second.gradient_between(x0.rightCols<3>(), x1.rightCols<3>(), mean.rightCols<3>());
  }
  double error(const Columns<double, 6>& x, double) const { return std::abs(value(x)); }
};

}  // namespace taut
