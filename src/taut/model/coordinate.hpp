// How far a joint has moved: a turn about an axis of body a, or a slide along it. Motors, limits,
// gears and joint springs act on coordinates and need not know the joint.
//
// Both are functions of the places x of three anchors:
//   turn   p, q: directions in a, square to the axis and to each other; r: the direction in b that
//          was along p at the start.   θ = atan2(s, c),  s = q·r,  c = p·r
//   slide  o: point in a, u: direction in a, x: point in b.   d = u·(x − o)
#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include "taut/base/types.hpp"
#include "taut/model/point.hpp"

namespace taut {

/// The angle in (−π, π] that differs from `angle` by whole turns.
inline double shorter_way(double angle) { return std::remainder(angle, 2 * std::numbers::pi); }

struct Coordinate {
  enum class Kind { turn, slide };
  using Places = Columns<double, 3>;
  using Curvature = Eigen::Matrix<double, 9, 9>;

  Kind kind = Kind::turn;
  std::array<Anchor, 3> anchors;
  double start = 0;  ///< what its value at the start is called
  double shift = 0;  ///< start − what the anchors say there

  bool is_turn() const { return kind == Kind::turn; }
  /// What it is only known up to: a whole turn, or nothing.
  double period() const { return is_turn() ? 2 * std::numbers::pi : 0; }

  double value(const Places& x) const { return shift + measured(x); }
  /// How far it has moved since the start; turns the shorter way.
  double moved(const Places& x) const {
    const double moved = value(x) - start;
    return is_turn() ? shorter_way(moved) : moved;
  }

  // Turn: dθ = (c ds − s dc)/N, N = s² + c².
  Places gradient(const Places& x) const {
    Places g;
    if (is_turn()) {
      const Plane at(x);
      const double s_ = at.c / at.N, c_ = -at.s / at.N;
      g << c_ * x.col(2), s_ * x.col(2), s_ * x.col(1) + c_ * x.col(0);
    } else {
      g << -x.col(1), x.col(2) - x.col(0), x.col(1);
    }
    return g;
  }

  Curvature curvature(const Places& x) const {
    Curvature H = Curvature::Zero();
    if (!is_turn()) {
      add_product(H, 1, 2, 1);
      add_product(H, 1, 0, -1);
      return H;
    }
    const Plane at(x);
    Eigen::Matrix<double, 9, 1> ds, dc;
    ds << Vec3::Zero(), x.col(2), x.col(1);
    dc << x.col(2), Vec3::Zero(), x.col(0);
    const double N2 = at.N * at.N;
    const double ss = -2 * at.s * at.c / N2, sc = (at.s * at.s - at.c * at.c) / N2;
    H = ss * (ds * ds.transpose() - dc * dc.transpose()) +
        sc * (ds * dc.transpose() + dc * ds.transpose());
    add_product(H, 1, 2, at.c / at.N);
    add_product(H, 0, 2, -at.s / at.N);
    return H;
  }

  /// ẍ-free second derivative in time: ẋᵀ H ẋ.
  double bias(const Places& x, const Places& rate) const {
    if (!is_turn()) return 2 * rate.col(1).dot(rate.col(2) - rate.col(0));
    const Plane at(x);
    const double ds = rate.col(1).dot(x.col(2)) + x.col(1).dot(rate.col(2));
    const double dc = rate.col(0).dot(x.col(2)) + x.col(0).dot(rate.col(2));
    const double dds = 2 * rate.col(1).dot(rate.col(2)), ddc = 2 * rate.col(0).dot(rate.col(2));
    const double numerator = at.c * ds - at.s * dc;
    return (at.c * dds - at.s * ddc) / at.N -
           2 * numerator * (at.s * ds + at.c * dc) / (at.N * at.N);
  }

  /// D with D·(x₁ − x₀) the change of the coordinate, the shorter way. Made of the changes of s and
  /// c, which do not mind a rotation of all, so that forces along D keep angular momentum; in the
  /// plane of s and c it is Gonzalez' discrete gradient.
  Places gradient_between(const Places& x0, const Places& x1, const Places& mean) const {
    if (!is_turn()) return gradient(mean);
    const Plane from(x0), to(x1);
    const double s = 0.5 * (from.s + to.s), c = 0.5 * (from.c + to.c), N = s * s + c * c;
    const double ds = to.s - from.s, dc = to.c - from.c, size = ds * ds + dc * dc;
    double by_s = c / N, by_c = -s / N;
    if (size > 1e-16) {
      const double change = shorter_way(std::atan2(to.s, to.c) - std::atan2(from.s, from.c));
      const double missing = (change - by_s * ds - by_c * dc) / size;
      by_s += missing * ds;
      by_c += missing * dc;
    }
    Places g;
    g << by_c * mean.col(2), by_s * mean.col(2), by_s * mean.col(1) + by_c * mean.col(0);
    return g;
  }

  /// What the anchors say, without the shift.
  double measured(const Places& x) const {
    if (is_turn()) return std::atan2(x.col(1).dot(x.col(2)), x.col(0).dot(x.col(2)));
    return x.col(1).dot(x.col(2) - x.col(0));
  }

 private:
  struct Plane {
    explicit Plane(const Places& x)
        : s(x.col(1).dot(x.col(2))),
          c(x.col(0).dot(x.col(2))),
          N(std::max(s * s + c * c, 1e-200)) {}
    double s, c, N;
  };

  static void add_product(Curvature& H, int i, int j, double weight) {
    H.block<3, 3>(3 * i, 3 * j) += weight * Mat3::Identity();
    H.block<3, 3>(3 * j, 3 * i) += weight * Mat3::Identity();
  }
};

}  // namespace taut
