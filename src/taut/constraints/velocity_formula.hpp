// Write a constraint on velocities as its formula alone and get every derivative by automatic
// differentiation:
//
//   struct Skate {
//     static constexpr std::string_view type = "skate", summary = "…", unit = "m";
//     static constexpr int rows = 1, anchor_count = 2;
//     Point blade;
//     Direction across;
//     std::array<Anchor, 2> anchors() const { return {blade, across}; }
//     template <class T>
//     Eigen::Matrix<T, 1, 1> rate(const Columns<T, 2>& x, const Columns<T, 2>& v, const T& t) const
//     {
//       return Eigen::Matrix<T, 1, 1>(x.col(1).dot(v.col(0)));
//     }
//   };
//   constrain(system, VelocityFormula<Skate>{{…}});
//
// `rate` gets where the anchors are and how fast they move, and must vanish. It is linear in v;
// what it is at v = 0 is minus the velocity that is wanted. `unit` is that of its integral: "m" for
// m/s. The angular velocity of a body is that of the anchor Spin{body}.
//
// A formula may have rows on positions, too: the first `position_rows` are value(x, t), as in
// constraints/formula.hpp. It may also define error(x, t), depends_on_time() and prepare().
#pragma once

#include "taut/base/error.hpp"
#include "taut/base/jet.hpp"
#include "taut/constraints/constraint_batch.hpp"

namespace taut {

template <class F>
struct VelocityFormula : F {
  static constexpr int K = F::anchor_count;
  using F::rows;
  static constexpr int position_rows = [] {
    if constexpr (requires { F::position_rows; }) return F::position_rows;
    return 0;
  }();
  static constexpr int rate_rows = rows - position_rows;
  static constexpr unsigned velocity_rows = ((1u << rows) - 1) ^ ((1u << position_rows) - 1);
  using Places = Columns<double, K>;

  bool depends_on_time() const {
    if constexpr (requires(const F& f) { f.F::depends_on_time(); }) {
      return F::depends_on_time();
    } else {
      return true;
    }
  }

  void prepare(const System& system) {
    Places x;
    const auto anchors_at_start = [&] {
      const std::array<Anchor, K> anchors = this->anchors();
      for (int k = 0; k < K; ++k) x.col(k) = system.initial_place(anchors[k]);
    };
    if constexpr (requires(F f) { f.F::prepare(system); }) {
      F::prepare(system);
      anchors_at_start();
    } else {
      anchors_at_start();
      if constexpr (requires(F f) { f.F::prepare(x); }) F::prepare(x);
    }
    check_that_it_is_linear(x);
  }

  void linearize(const Places& x, double t, Linearization<rows, K>& out) const {
    using T = Jet<3 * K + 1, 1>;
    if constexpr (position_rows > 0) {
      const auto C = F::template value<T>(variables<T>(x), T::variable(t, 3 * K));
      for (int r = 0; r < position_rows; ++r) {
        out.C[r] = C[r].a;
        out.C_t[r] = C[r].g[3 * K];
        out.gradient[r] = Eigen::Map<const Places>(C[r].g.data());
      }
    }
    const auto rate =
        F::template rate<T>(constants<T>(x), variables<T>(Places(Places::Zero())), T(t));
    for (int r = 0; r < rate_rows; ++r) {
      out.C[position_rows + r] = 0;
      out.C_t[position_rows + r] = rate[r].a;
      out.gradient[position_rows + r] = Eigen::Map<const Places>(rate[r].g.data());
    }
  }

  /// Along x + s ẋ, t + s: the second derivative of a row on positions, the first of one on
  /// velocities.
  Eigen::Matrix<double, rows, 1> bias(const Places& x, const Places& v, double t) const {
    using T = Jet<1, 2>;
    Columns<T, K> path;
    for (int i = 0; i < 3 * K; ++i) {
      path(i % 3, i / 3) = T(x(i % 3, i / 3));
      path(i % 3, i / 3).g[0] = v(i % 3, i / 3);
    }
    const T time = T::variable(t, 0);
    Eigen::Matrix<double, rows, 1> bias;
    if constexpr (position_rows > 0) {
      const auto C = F::template value<T>(path, time);
      for (int r = 0; r < position_rows; ++r) bias[r] = C[r].H[0];
    }
    const auto rate = F::template rate<T>(path, constants<T>(v), time);
    for (int r = 0; r < rate_rows; ++r) bias[position_rows + r] = rate[r].g[0];
    return bias;
  }

  /// g·w + h c = h (g·(w/h) + c), and its slope along x.
  void way(const Places& x, const Places& w, double h, double t, Eigen::Matrix<double, rows, 1>& C,
           std::array<Places, rows>& slope) const {
    using T = Jet<3 * K + 1, 1>;  // of a size that is there already
    const auto rate = F::template rate<T>(variables<T>(x), constants<T>(Places(w / h)), T(t));
    for (int r = 0; r < position_rows; ++r) {
      C[r] = 0;
      slope[r].setZero();
    }
    for (int r = 0; r < rate_rows; ++r) {
      C[position_rows + r] = h * rate[r].a;
      slope[position_rows + r] = h * Eigen::Map<const Places>(rate[r].g.data());
    }
  }

  /// Of rows on velocities, ∂(λ·g)/∂x is not symmetric: its symmetric part.
  Eigen::Matrix<double, 3 * K, 3 * K> curvature(
      const Places& x, double t, const Eigen::Matrix<double, rows, 1>& lambda) const {
    using Square = Eigen::Matrix<double, 3 * K, 3 * K>;
    Square sum = Square::Zero();
    if constexpr (position_rows > 0) {
      using T = Jet<3 * K, 2>;
      const auto C = F::template value<T>(variables<T>(x), T(t));
      for (int r = 0; r < position_rows; ++r)
        sum += lambda[r] * Eigen::Map<const Square>(C[r].H.data());
    }
    using T = Jet<3 * K + 1, 1>;
    Places one_rate = Places::Zero();
    const auto places = variables<T>(x);
    const auto still = F::template rate<T>(places, constants<T>(one_rate), T(t));
    for (int i = 0; i < 3 * K; ++i) {
      one_rate(i % 3, i / 3) = 1;
      const auto rate = F::template rate<T>(places, constants<T>(one_rate), T(t));
      one_rate(i % 3, i / 3) = 0;
      for (int r = 0; r < rate_rows; ++r) {
        for (int j = 0; j < 3 * K; ++j) {
          const double half = 0.5 * lambda[position_rows + r] * (rate[r].g[j] - still[r].g[j]);
          sum(i, j) += half;
          sum(j, i) += half;
        }
      }
    }
    return sum;
  }

  /// Of the rows on positions.
  double error([[maybe_unused]] const Places& x, [[maybe_unused]] double t) const {
    if constexpr (requires(const F& f) { f.F::error(x, t); }) {
      return F::error(x, t);
    } else if constexpr (position_rows > 0) {
      return F::template value<double>(x, t).norm();
    } else {
      return 0;
    }
  }

 private:
  template <class T>
  static Columns<T, K> variables(const Places& x) {
    Columns<T, K> out;
    for (int i = 0; i < 3 * K; ++i) out(i % 3, i / 3) = T::variable(x(i % 3, i / 3), i);
    return out;
  }
  template <class T>
  static Columns<T, K> constants(const Places& x) {
    Columns<T, K> out;
    for (int i = 0; i < 3 * K; ++i) out(i % 3, i / 3) = T(x(i % 3, i / 3));
    return out;
  }

  void check_that_it_is_linear(const Places& x) const {
    Places v, w;
    for (int i = 0; i < 3 * K; ++i) {
      v(i % 3, i / 3) = std::sin(1 + 7.0 * i);
      w(i % 3, i / 3) = std::cos(2 + 5.0 * i);
    }
    const auto at = [&](const Places& velocity) {
      return F::template rate<double>(x, velocity, 0.0);
    };
    const auto still = at(Places(Places::Zero())), sum = at(Places(v - 2 * w));
    const auto at_v = at(v), at_w = at(w);
    for (int r = 0; r < rate_rows; ++r) {
      const double parts = at_v[r] - still[r] - 2 * (at_w[r] - still[r]);
      const double size = std::abs(at_v[r]) + 2 * std::abs(at_w[r]) + 3 * std::abs(still[r]);
      if (!(std::abs(sum[r] - still[r] - parts) <= 1e-9 * size))
        throw Error(std::string(F::type) + ": row " + std::to_string(r + 1) +
                    " on velocities is not linear in them (or not finite at the start)");
    }
  }
};

}  // namespace taut
