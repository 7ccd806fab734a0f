#include "taut/model/curve.hpp"

#include <cmath>

#include "taut/base/error.hpp"
#include "taut/model/spline.hpp"

namespace taut {

Curve::Curve(std::vector<Vec3> points, bool closed) {
  const std::size_t least = closed ? 3 : 2;
  if (points.size() < least)
    throw Error("a curve needs at least " + std::to_string(least) + " points, found " +
                std::to_string(points.size()));
  // Chord length as parameter: even speed along the wire.
  std::vector<double> knots{0};
  const std::size_t pieces = closed ? points.size() : points.size() - 1;
  for (std::size_t i = 0; i < pieces; ++i) {
    const double chord = (points[(i + 1) % points.size()] - points[i]).norm();
    // (also when the chord is lost in the rounding of the length so far, or overflows)
    if (!(knots.back() + chord > knots.back()) || !std::isfinite(knots.back() + chord))
      throw Error("a curve's neighbouring points must differ: points " + std::to_string(i) +
                  " and " + std::to_string((i + 1) % points.size()) + " coincide");
    knots.push_back(knots.back() + chord);
  }
  spline_ = std::make_shared<CubicSpline<Vec3>>(std::move(knots), std::move(points),
                                                closed ? SplineEnds::closed : SplineEnds::natural);

  constexpr int per_piece = 8;
  std::vector<Sample> samples;
  const std::vector<double>& k = spline_->knots();
  for (std::size_t i = 0; i + 1 < k.size(); ++i)
    for (int j = 0; j < per_piece; ++j) {
      const double s = k[i] + (k[i + 1] - k[i]) * j / per_piece;
      samples.push_back({s, at(s)});
    }
  samples.push_back({k.back(), at(k.back())});
  samples_ = std::make_shared<const std::vector<Sample>>(std::move(samples));
}

Vec3 Curve::at(double s) const {
  const auto piece = spline_->piece(s);
  const double u = s - piece.start;
  return piece.a + u * (piece.b + u * (piece.c + u * piece.d));
}

// The nearest sample, then Newton on (c(s) − x)·c'(s) = 0.
double Curve::nearest(const Vec3& x) const {
  std::size_t best = 0;
  double best_distance = (x - samples_->front().place).squaredNorm();
  for (std::size_t i = 1; i < samples_->size(); ++i) {
    const double distance = (x - (*samples_)[i].place).squaredNorm();
    if (distance < best_distance) {
      best_distance = distance;
      best = i;
    }
  }
  double s = (*samples_)[best].s;
  for (int iteration = 0; iteration < 50; ++iteration) {
    const auto piece = spline_->piece(s);
    const double u = s - piece.start;
    const Vec3 r = piece.a + u * (piece.b + u * (piece.c + u * piece.d)) - x;
    const Vec3 tangent = piece.b + u * (2 * piece.c + 3 * u * piece.d);
    const Vec3 bend = 2 * piece.c + 6 * u * piece.d;
    const double slope = tangent.squaredNorm() + r.dot(bend);
    // Away from a minimum the Gauss–Newton slope still leads downhill.
    const double step = -r.dot(tangent) / (slope > 0 ? slope : tangent.squaredNorm());
    s += step;
    if (std::abs(step) <= 1e-15 * (1 + std::abs(s))) break;
  }
  return s;
}

}  // namespace taut
