#include "taut/model/curve.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.hpp"
#include "taut/model/spline.hpp"

namespace taut {

struct Curve::SplineShape final : Shape {
  SplineShape(std::vector<double> knots, std::vector<Vec3> points, SplineEnds ends)
      : spline(std::move(knots), std::move(points), ends) {}
  Piece piece(double s) const override {
    const auto [start, a, b, c, d] = spline.piece(s);
    return {start, a, b, c, d};
  }
  CubicSpline<Vec3> spline;
};

struct Curve::FormulaShape final : Shape {
  FormulaShape(CurveFormula f, double first, double last, bool is_closed, CurveEnds beyond)
      : formula(std::move(f)), from(first), to(last), closed(is_closed), ends(beyond) {}
  // Beyond a finite end the formula need not be defined: there the cubic of the end goes on.
  Piece piece(double s) const override {
    double at = s;
    if (closed)
      at -= (to - from) * std::floor((s - from) / (to - from));
    else if (ends == CurveEnds::finite)
      at = std::clamp(s, from, to);
    const std::array<Vec3, 4> c = formula(at);
    return {closed ? s : at, c[0], c[1], c[2] / 2, c[3] / 6};
  }
  CurveFormula formula;
  double from, to;
  bool closed;
  CurveEnds ends;
};

Curve::Curve(std::vector<Vec3> points, bool closed, CurveEnds ends)
    : closed_(closed), has_ends_(!closed && ends == CurveEnds::finite) {
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
  const std::vector<double> k = knots;
  shape_ = std::make_shared<SplineShape>(std::move(knots), std::move(points),
                                         closed ? SplineEnds::closed : SplineEnds::natural);

  constexpr int per_piece = 8;
  std::vector<Sample> samples;
  for (std::size_t i = 0; i + 1 < k.size(); ++i)
    for (int j = 0; j < per_piece; ++j) {
      const double s = k[i] + (k[i + 1] - k[i]) * j / per_piece;
      samples.push_back({s, at(s)});
    }
  samples.push_back({k.back(), at(k.back())});
  samples_ = std::make_shared<const std::vector<Sample>>(std::move(samples));
}

Curve::Curve(CurveFormula formula, double from, double to, bool closed, CurveEnds ends)
    : closed_(closed), has_ends_(!closed && ends == CurveEnds::finite) {
  if (!(from < to) || !std::isfinite(to - from))
    throw Error(fmt::format("found a curve from {} to {}, expected from < to", from, to));
  constexpr int pieces = 512;
  std::vector<Sample> samples;
  double size = 0, fastest = 0;
  for (int i = 0; i <= pieces; ++i) {
    const double s = from + (to - from) * i / pieces;
    const std::array<Vec3, 4> c = formula(s);
    for (const Vec3& derivative : c)
      if (!derivative.allFinite())
        throw Error(fmt::format(
            "found a curve that is not finite, or has a derivative that is not, at s = {:.6g}", s));
    samples.push_back({s, c[0]});
    size = std::max(size, (c[0] - samples[0].place).norm());
    fastest = std::max(fastest, c[1].norm());
  }
  for (const Sample& sample : samples)
    if (!(formula(sample.s)[1].norm() > 1e-9 * fastest))
      throw Error(fmt::format(
          "found a curve that stands still at s = {:.6g}, expected a derivative that is not zero",
          sample.s));
  if (closed) {
    const std::array<Vec3, 4> first = formula(from), last = formula(to);
    if (!((last[0] - first[0]).norm() <= 1e-6 * size) ||
        !((last[1] - first[1]).norm() <= 1e-6 * fastest))
      throw Error(
          "found a closed curve whose end does not continue at its start, expected the same place "
          "and derivative at both");
  }
  shape_ = std::make_shared<FormulaShape>(std::move(formula), from, to, closed, ends);
  samples_ = std::make_shared<const std::vector<Sample>>(std::move(samples));
}

Vec3 Curve::at(double s) const {
  const Piece p = piece(s);
  const double u = s - p.start;
  return p.a + u * (p.b + u * (p.c + u * p.d));
}

bool Curve::has_ended(double s) const {
  const double round_off = 1e-9 * (last() - first());
  return has_ends_ && !(s >= first() - round_off && s <= last() + round_off);
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
    const Piece p = piece(s);
    const double u = s - p.start;
    const Vec3 r = p.a + u * (p.b + u * (p.c + u * p.d)) - x;
    const Vec3 tangent = p.b + u * (2 * p.c + 3 * u * p.d);
    const Vec3 bend = 2 * p.c + 6 * u * p.d;
    const double slope = tangent.squaredNorm() + r.dot(bend);
    // Away from a minimum the Gauss–Newton slope still leads downhill.
    const double step = -r.dot(tangent) / (slope > 0 ? slope : tangent.squaredNorm());
    s += step;
    if (std::abs(step) <= 1e-15 * (1 + std::abs(s))) break;
  }
  return s;
}

}  // namespace taut
