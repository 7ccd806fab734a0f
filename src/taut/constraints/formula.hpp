// Write a constraint as its formula alone and get every derivative by automatic differentiation:
//
//   struct OnEllipsoid {
//     static constexpr std::string_view type = "on_ellipsoid", summary = "…", unit = "m";
//     static constexpr int rows = 1, anchor_count = 1;
//     Point point;
//     Vec3 radii{1, 1, 1};
//     std::array<Anchor, 1> anchors() const { return {point}; }
//     template <class T>
//     Eigen::Matrix<T, 1, 1> value(const Columns<T, 1>& x, const T& t) const {
//       return Eigen::Matrix<T, 1, 1>(sqrt(… x(0, 0) * x(0, 0) …) - 1.0);
//     }
//   };
//   constrain(system, Formula<OnEllipsoid>{{…}});
//
// A formula may also define error(x, t), depends_on_time() and prepare(x); else the error is |C|
// and it counts as depending on time.
#pragma once

#include "taut/base/jet.hpp"
#include "taut/constraints/constraint_batch.hpp"
#include "taut/model/motion.hpp"

namespace taut {

/// A prescribed motion at a time that is differentiated: its Taylor polynomial, exact to the second
/// derivative.
template <class T>
T differentiable(const Motion<double>& motion, const T& t) {
  const MotionSample<double> at = motion.at(value_of(t));
  const T dt = t - T(value_of(t));
  return T(at.value) + dt * at.rate + dt * dt * (0.5 * at.acceleration);
}
template <class T>
Eigen::Matrix<T, 3, 1> differentiable(const Motion<Vec3>& motion, const T& t) {
  const MotionSample<Vec3> at = motion.at(value_of(t));
  const T dt = t - T(value_of(t));
  Eigen::Matrix<T, 3, 1> place;
  for (int i = 0; i < 3; ++i)
    place[i] = T(at.value[i]) + dt * at.rate[i] + dt * dt * (0.5 * at.acceleration[i]);
  return place;
}

template <class F>
struct Formula : F {
  static constexpr int K = F::anchor_count;
  static constexpr int variables = 3 * K + 1;  // the anchors' coordinates, then time
  using F::rows;

  bool depends_on_time() const {
    if constexpr (requires(const F& f) { f.F::depends_on_time(); }) {
      return F::depends_on_time();
    } else {
      return true;
    }
  }

  void linearize(const Columns<double, K>& x, double t, Linearization<rows, K>& out) const {
    const auto C = evaluate<1>(x, t);
    for (int r = 0; r < rows; ++r) {
      out.C[r] = C[r].a;
      out.C_t[r] = C[r].g[3 * K];
      out.gradient[r] = Eigen::Map<const Columns<double, K>>(C[r].g.data());
    }
  }

  // With s = (ẋ, 1): sᵀ ∂²C/∂(x,t)² s = ẋᵀC_xx ẋ + 2 C_xt ẋ + C_tt
  Eigen::Matrix<double, rows, 1> bias(const Columns<double, K>& x, const Columns<double, K>& rate,
                                      double t) const {
    const auto C = evaluate<2>(x, t);
    Eigen::Matrix<double, variables, 1> s;
    s << Eigen::Map<const Eigen::Matrix<double, 3 * K, 1>>(rate.data()), 1.0;
    Eigen::Matrix<double, rows, 1> bias;
    for (int r = 0; r < rows; ++r) bias[r] = s.dot(hessian(C[r]) * s);
    return bias;
  }

  Eigen::Matrix<double, 3 * K, 3 * K> curvature(
      const Columns<double, K>& x, double t, const Eigen::Matrix<double, rows, 1>& lambda) const {
    const auto C = evaluate<2>(x, t);
    Eigen::Matrix<double, 3 * K, 3 * K> sum = Eigen::Matrix<double, 3 * K, 3 * K>::Zero();
    for (int r = 0; r < rows; ++r)
      sum += lambda[r] * hessian(C[r]).template topLeftCorner<3 * K, 3 * K>();
    return sum;
  }

  double error(const Columns<double, K>& x, double t) const {
    if constexpr (requires(const F& f) { f.F::error(x, t); }) {
      return F::error(x, t);
    } else {
      return F::template value<double>(x, t).norm();
    }
  }

 private:
  static auto hessian(const Jet<variables, 2>& C) {
    return Eigen::Map<const Eigen::Matrix<double, variables, variables>>(C.H.data());
  }

  template <int Order>
  Eigen::Matrix<Jet<variables, Order>, rows, 1> evaluate(const Columns<double, K>& x,
                                                         double t) const {
    using T = Jet<variables, Order>;
    Columns<T, K> places;
    for (int i = 0; i < 3 * K; ++i) places(i % 3, i / 3) = T::variable(x(i % 3, i / 3), i);
    return F::template value<T>(places, T::variable(t, 3 * K));
  }
};

}  // namespace taut
