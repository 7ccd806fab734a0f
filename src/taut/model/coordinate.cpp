#include "taut/model/coordinate.hpp"

#include <algorithm>
#include <cmath>

namespace taut {
namespace {

using Places = Coordinate::Places;
using Curvature = Coordinate::Curvature;

/// Of a tilt: s = u·r and its cosine.
struct Tilt {
  explicit Tilt(const Places& x)
      : s(std::clamp(x.col(0).dot(x.col(2)), -1.0, 1.0)),
        c(std::sqrt(std::max(1 - s * s, 1e-20))) {}
  double s, c;
};

struct Plane {
  explicit Plane(const Places& x)
      : s(x.col(1).dot(x.col(2))), c(x.col(0).dot(x.col(2))), N(std::max(s * s + c * c, 1e-200)) {}
  double s, c, N;
};

void add_product(Curvature& H, int i, int j, double weight) {
  for (int n = 0; n < 3; ++n) {
    H(3 * i + n, 3 * j + n) += weight;
    H(3 * j + n, 3 * i + n) += weight;
  }
}

}  // namespace

double shorter_way(double angle) { return std::remainder(angle, 2 * std::numbers::pi); }

double Coordinate::value_near(double other, const Places& x) const {
  const double turn = value(x);
  return turn + period() * std::round((other - turn) / period());
}

double Coordinate::moved(const Places& x) const {
  const double moved = value(x) - start;
  return is_turn() ? shorter_way(moved) : moved;
}

// Turn: dθ = (c ds − s dc)/N, N = s² + c².
Places Coordinate::gradient(const Places& x) const {
  Places g;
  if (kind == Kind::tilt) {
    const double by_s = 1 / Tilt(x).c;
    g << by_s * x.col(2), Vec3::Zero(), by_s * x.col(0);
  } else if (is_turn()) {
    const Plane at(x);
    const double s_ = at.c / at.N, c_ = -at.s / at.N;
    g << c_ * x.col(2), s_ * x.col(2), s_ * x.col(1) + c_ * x.col(0);
  } else {
    g << -x.col(1), x.col(2) - x.col(0), x.col(1);
  }
  return g;
}

Curvature Coordinate::curvature(const Places& x) const {
  Curvature H = Curvature::Zero();
  if (!is_turn()) {
    add_product(H, 1, 2, 1);
    add_product(H, 1, 0, -1);
    return H;
  }
  if (kind == Kind::tilt) {  // θ'' = 1/c s'' + s/c³ s'²
    const Tilt at(x);
    Eigen::Matrix<double, 9, 1> ds;
    ds << x.col(2), Vec3::Zero(), x.col(0);
    H = at.s / (at.c * at.c * at.c) * ds * ds.transpose();
    add_product(H, 0, 2, 1 / at.c);
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

double Coordinate::bias(const Places& x, const Places& rate) const {
  if (!is_turn()) return 2 * rate.col(1).dot(rate.col(2) - rate.col(0));
  if (kind == Kind::tilt) {
    const Tilt at(x);
    const double rate_s = rate.col(0).dot(x.col(2)) + x.col(0).dot(rate.col(2));
    return (2 * rate.col(0).dot(rate.col(2)) + at.s * rate_s * rate_s / (at.c * at.c)) / at.c;
  }
  const Plane at(x);
  const double ds = rate.col(1).dot(x.col(2)) + x.col(1).dot(rate.col(2));
  const double dc = rate.col(0).dot(x.col(2)) + x.col(0).dot(rate.col(2));
  const double dds = 2 * rate.col(1).dot(rate.col(2)), ddc = 2 * rate.col(0).dot(rate.col(2));
  const double numerator = at.c * ds - at.s * dc;
  return (at.c * dds - at.s * ddc) / at.N - 2 * numerator * (at.s * ds + at.c * dc) / (at.N * at.N);
}

Places Coordinate::gradient_between(const Places& x0, const Places& x1, const Places& mean) const {
  if (!is_turn()) return gradient(mean);
  if (kind == Kind::tilt) {
    const Tilt from(x0), to(x1);
    const double ds = to.s - from.s;
    const double by_s =
        std::abs(ds) > 1e-8 ? (std::asin(to.s) - std::asin(from.s)) / ds : 2 / (from.c + to.c);
    Places g;
    g << by_s * mean.col(2), Vec3::Zero(), by_s * mean.col(0);
    return g;
  }
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

double Coordinate::measured(const Places& x) const {
  if (kind == Kind::tilt) return std::asin(Tilt(x).s);
  if (is_turn()) return std::atan2(x.col(1).dot(x.col(2)), x.col(0).dot(x.col(2)));
  return x.col(1).dot(x.col(2) - x.col(0));
}

}  // namespace taut
