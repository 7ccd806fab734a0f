// Equations that most joints are made of, each a sum of products of two anchors' places at most:
//   coincide(i, j, axis)   x_j − x_i = 0, along an axis of the world
//   square(i, j)           x_i·x_j = 0, of directions
//   across(i, j, k)        x_i·(x_k − x_j) = 0: no way from j to k along the direction i
// A joint lists its equations and is done: linearize, bias and curvature follow. All are quadratic,
// so a discrete gradient is exact at the mean, and keeps energy and momentum.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "taut/constraints/constraint_batch.hpp"

namespace taut {

struct BilinearEquation {
  enum class Kind { coincide, square, across };
  Kind kind;
  int i, j, k;  // coincide: anchors i, j and the axis k

  constexpr bool depends_on(int anchor) const {
    return anchor == i || anchor == j || (kind == Kind::across && anchor == k);
  }
  constexpr bool is_length() const { return kind != Kind::square; }

  template <int Rows, int K>
  [[gnu::always_inline]] void linearize(const Columns<double, K>& x, int row,
                                        Linearization<Rows, K>& out) const {
    Columns<double, K>& g = out.gradient[static_cast<std::size_t>(row)];
    g.setZero();
    out.C_t[row] = 0;
    switch (kind) {
      case Kind::coincide:
        out.C[row] = x(k, j) - x(k, i);
        g(k, i) = -1;
        g(k, j) = 1;
        return;
      case Kind::square:
        out.C[row] = x.col(i).dot(x.col(j));
        g.col(i) = x.col(j);
        g.col(j) = x.col(i);
        return;
      case Kind::across:
        g.col(i) = x.col(k) - x.col(j);
        out.C[row] = x.col(i).dot(g.col(i));
        g.col(j) = -x.col(i);
        g.col(k) = x.col(i);
        return;
    }
  }

  template <int K>
  double bias(const Columns<double, K>& rate) const {
    switch (kind) {
      case Kind::square:
        return 2 * rate.col(i).dot(rate.col(j));
      case Kind::across:
        return 2 * rate.col(i).dot(rate.col(k) - rate.col(j));
      default:
        return 0;
    }
  }

  /// λ times the second derivative of A·B, with A = x_i and B = x_j (or x_k − x_j). Its positive
  /// part is ½|λ| (A ± B)².
  template <class Matrix>
  void add_curvature(double lambda, Definiteness wanted, Matrix& H) const {
    if (kind == Kind::coincide || lambda == 0) return;
    const auto add = [&](int p, int q, double weight) {
      for (int n = 0; n < 3; ++n) H(3 * p + n, 3 * q + n) += weight;
      if (p != q)
        for (int n = 0; n < 3; ++n) H(3 * q + n, 3 * p + n) += weight;
    };
    const bool positive = wanted == Definiteness::positive;
    const double product = positive ? 0.5 * lambda : lambda,
                 own = positive ? 0.5 * std::abs(lambda) : 0;
    if (positive) add(i, i, own);
    if (kind == Kind::square) {
      add(i, j, product);
      if (positive) add(j, j, own);
      return;
    }
    add(i, k, product);
    add(i, j, -product);
    if (positive) {
      add(j, j, own);
      add(k, k, own);
      add(j, k, -own);
    }
  }
};

constexpr BilinearEquation square(int i, int j) {
  return {BilinearEquation::Kind::square, i, j, -1};
}
constexpr BilinearEquation across(int direction, int from, int to) {
  return {BilinearEquation::Kind::across, direction, from, to};
}
constexpr BilinearEquation coincide(int i, int j, int axis) {
  return {BilinearEquation::Kind::coincide, i, j, axis};
}

/// The rows of a joint that has a static list `equations`.
template <class Joint, int Rows, int Anchors>
struct BilinearRows {
  static constexpr std::string_view unit = "m";
  static constexpr int rows = Rows;
  static constexpr int anchor_count = Anchors;
  static constexpr bool quadratic = true;

  static constexpr bool depends_on(int row, int anchor) {
    return Joint::equations[static_cast<std::size_t>(row)].depends_on(anchor);
  }
  bool depends_on_time() const { return false; }
  bool is_angle(int row) const { return !equation(row).is_length(); }

  void linearize(const Columns<double, Anchors>& x, double,
                 Linearization<Rows, Anchors>& out) const {
    each_row([&](auto r) {
      constexpr BilinearEquation known = equation(r());  // so that nothing is decided when it runs
      known.linearize(x, r(), out);
    });
  }
  Eigen::Matrix<double, Rows, 1> bias(const Columns<double, Anchors>&,
                                      const Columns<double, Anchors>& rate, double) const {
    Eigen::Matrix<double, Rows, 1> bias;
    for (int r = 0; r < Rows; ++r) bias[r] = equation(r).bias(rate);
    return bias;
  }
  using Curvature = Eigen::Matrix<double, 3 * Anchors, 3 * Anchors>;
  Curvature smooth_curvature(const Columns<double, Anchors>&, double,
                             const Eigen::Matrix<double, Rows, 1>& lambda,
                             Definiteness wanted) const {
    Curvature H = Curvature::Zero();
    for (int r = 0; r < Rows; ++r) equation(r).add_curvature(lambda[r], wanted, H);
    return H;
  }
  Curvature curvature(const Columns<double, Anchors>& x, double t,
                      const Eigen::Matrix<double, Rows, 1>& lambda) const {
    return smooth_curvature(x, t, lambda, Definiteness::exact);
  }
  /// The way between the parts in m or the angle between them in rad, whichever is larger.
  double error(const Columns<double, Anchors>& x, double t) const {
    Linearization<Rows, Anchors> out;
    linearize(x, t, out);
    double way = 0, angle = 0;
    for (int r = 0; r < Rows; ++r) (equation(r).is_length() ? way : angle) += out.C[r] * out.C[r];
    return std::sqrt(std::max(way, angle));
  }

 private:
  static constexpr const BilinearEquation& equation(int row) {
    return Joint::equations[static_cast<std::size_t>(row)];
  }
  /// Calls visit(r) with the row r as a type.
  template <class Visit>
  [[gnu::always_inline]] static void each_row(const Visit& visit) {
    [&]<int... r>(std::integer_sequence<int, r...>) {
      (visit(std::integral_constant<int, r>()), ...);
    }
    (std::make_integer_sequence<int, Rows>());
  }
};

}  // namespace taut
