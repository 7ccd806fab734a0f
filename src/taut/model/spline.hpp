// C² piecewise cubic through given values, for keyframed motions and for wires.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "taut/base/error.hpp"
#include "taut/base/types.hpp"

namespace taut {

enum class SplineEnds {
  natural,  ///< no curvature at the ends; goes on straight beyond them
  resting,  ///< no slope and no curvature at the ends; stays where it is beyond them. For that it
            ///< has one more knot in its first interval and one in its last.
  closed,   ///< the last value is followed by the first again; knots has one more entry than values
};

/// V is double or Vec3.
template <class V>
class CubicSpline {
 public:
  CubicSpline() = default;

  /// `knots` strictly increasing, at least two values.
  CubicSpline(std::vector<double> knots, std::vector<V> values, SplineEnds ends)
      : knots_(std::move(knots)), ends_(ends) {
    if (ends == SplineEnds::closed) values.push_back(values.front());
    TAUT_CHECK(values.size() >= 2 && knots_.size() == values.size());
    if (ends == SplineEnds::resting) values = rest_at_ends(std::move(values));
    fit(values);
    last_value_ = values.back();
  }

  double first_knot() const { return knots_.front(); }
  double last_knot() const { return knots_.back(); }
  double length() const { return last_knot() - first_knot(); }
  const std::vector<double>& knots() const { return knots_; }
  SplineEnds ends() const { return ends_; }

  /// The cubic a + b·u + c·u² + d·u³, u = s − start, that holds around s, ends included.
  struct Piece {
    double start = 0;
    V a, b, c, d;
  };
  Piece piece(double s) const {
    if (ends_ == SplineEnds::closed) {
      const double turns = std::floor((s - first_knot()) / length());
      Piece piece = pieces_[segment(s - turns * length())];
      piece.start += turns * length();
      return piece;
    }
    if (s < first_knot()) return beyond(pieces_.front(), first_knot());
    if (s > last_knot() && ends_ == SplineEnds::resting) {  // exactly, without round-off
      const V zero = 0.0 * last_value_;
      return {last_knot(), last_value_, zero, zero, zero};
    }
    if (s > last_knot()) return beyond(pieces_.back(), last_knot());
    return pieces_[segment(s)];
  }

 private:
  std::size_t segment(double s) const {
    const auto after = std::upper_bound(knots_.begin() + 1, knots_.end() - 1, s);
    return static_cast<std::size_t>(after - knots_.begin() - 1);
  }

  // A straight line with the slope of the end.
  static Piece beyond(const Piece& end, double knot) {
    const double u = knot - end.start;
    const V zero = 0.0 * end.a;
    return {knot, end.a + u * (end.b + u * (end.c + u * end.d)),
            end.b + u * (2 * end.c + 3 * u * end.d), zero, zero};
  }

  // The slopes m_i at the knots make the second derivative continuous:
  //   m_{i-1}/h_{i-1} + 2 (1/h_{i-1} + 1/h_i) m_i + m_{i+1}/h_i = 3 (Δ_{i-1}/h_{i-1} + Δ_i/h_i),
  // with Δ_i the secant slopes.
  void fit(const std::vector<V>& values) {
    const std::size_t n = values.size();
    std::vector<double> width(n - 1);
    std::vector<V> secant(n - 1);
    for (std::size_t i = 0; i + 1 < n; ++i) {
      width[i] = knots_[i + 1] - knots_[i];
      TAUT_CHECK(width[i] > 0);
      secant[i] = (values[i + 1] - values[i]) / width[i];
    }
    const std::vector<V> slope =
        ends_ == SplineEnds::closed ? closed_slopes(width, secant) : open_slopes(width, secant);
    pieces_.resize(n - 1);
    for (std::size_t i = 0; i + 1 < n; ++i) {
      pieces_[i] = {knots_[i], values[i], slope[i],
                    (3 * secant[i] - 2 * slope[i] - slope[i + 1]) / width[i],
                    (slope[i] + slope[i + 1] - 2 * secant[i]) / (width[i] * width[i])};
    }
  }

  V first_curvature() const { return 2 * pieces_.front().c; }
  V last_curvature() const {
    const Piece& last = pieces_.back();
    return 2 * last.c + (6 * (last_knot() - last.start)) * last.d;
  }

  // Adds the two knots, and returns the values with those at them. A spline is linear in its
  // values, and so are its curvatures at the ends.
  std::vector<V> rest_at_ends(std::vector<V> values) {
    const std::size_t n = values.size();
    const double first = knots_[0], last = knots_[n - 1];
    const double part = n == 2 ? 1.0 / 3 : 0.5;  // two knots in one interval, or one in each
    const double before = first + part * (knots_[1] - first);
    const double after = last - part * (last - knots_[n - 2]);
    knots_.insert(knots_.end() - 1, after);
    knots_.insert(knots_.begin() + 1, before);
    values.insert(values.end() - 1, values.back());
    values.insert(values.begin() + 1, values.front());
    fit(values);
    const V at_first = first_curvature(), at_last = last_curvature();

    CubicSpline<double> per_value[2];
    for (std::size_t k = 0; k < 2; ++k) {
      std::vector<double> unit(values.size(), 0.0);
      unit[k == 0 ? 1 : n] = 1;
      per_value[k].knots_ = knots_;
      per_value[k].ends_ = ends_;
      per_value[k].fit(unit);
    }
    const double a = per_value[0].first_curvature(), b = per_value[1].first_curvature(),
                 c = per_value[0].last_curvature(), d = per_value[1].last_curvature();
    values[1] += (b * at_last - d * at_first) / (a * d - b * c);
    values[n] += (c * at_first - a * at_last) / (a * d - b * c);
    return values;
  }

  // Thomas' elimination of lower·x_{i-1} + diagonal·x_i + upper·x_{i+1} = right.
  static std::vector<V> solve_tridiagonal(const std::vector<double>& lower,
                                          std::vector<double> diagonal,
                                          const std::vector<double>& upper, std::vector<V> right) {
    for (std::size_t i = 1; i < right.size(); ++i) {
      const double factor = lower[i] / diagonal[i - 1];
      diagonal[i] -= factor * upper[i - 1];
      right[i] -= factor * right[i - 1];
    }
    right.back() /= diagonal.back();
    for (std::size_t i = right.size() - 1; i-- > 0;)
      right[i] = (right[i] - upper[i] * right[i + 1]) / diagonal[i];
    return right;
  }

  std::vector<V> open_slopes(const std::vector<double>& width, const std::vector<V>& secant) const {
    const std::size_t n = width.size() + 1;
    std::vector<double> lower(n, 0.0), diagonal(n, 1.0), upper(n, 0.0);
    std::vector<V> right(n, 0.0 * secant[0]);
    for (std::size_t i = 1; i + 1 < n; ++i) {
      lower[i] = 1 / width[i - 1];
      upper[i] = 1 / width[i];
      diagonal[i] = 2 * (lower[i] + upper[i]);
      right[i] = 3 * (lower[i] * secant[i - 1] + upper[i] * secant[i]);
    }
    if (ends_ == SplineEnds::natural) {  // 2 m_0 + m_1 = 3 Δ_0, and mirrored at the other end
      diagonal.front() = diagonal.back() = 2;
      upper.front() = lower.back() = 1;
      right.front() = 3 * secant.front();
      right.back() = 3 * secant.back();
    }
    return solve_tridiagonal(lower, diagonal, upper, right);
  }

  // The cyclic system is a tridiagonal one plus a corner, put back by Sherman and Morrison.
  std::vector<V> closed_slopes(const std::vector<double>& width,
                               const std::vector<V>& secant) const {
    const std::size_t n = width.size();
    TAUT_CHECK(n >= 3);
    std::vector<double> lower(n), diagonal(n), upper(n);
    std::vector<V> right(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t before = (i + n - 1) % n;
      lower[i] = 1 / width[before];
      upper[i] = 1 / width[i];
      diagonal[i] = 2 * (lower[i] + upper[i]);
      right[i] = 3 * (lower[i] * secant[before] + upper[i] * secant[i]);
    }
    // A = T + corner·w wᵀ with w = e_0 + e_{n-1}, so T has `corner` taken off both diagonal ends.
    const double corner = lower[0];  // equals upper[n-1]
    diagonal[0] -= corner;
    diagonal[n - 1] -= corner;
    std::vector<double> ends(n, 0.0);
    ends.front() = ends.back() = 1;
    std::vector<V> x = solve_tridiagonal(lower, diagonal, upper, right);
    const std::vector<double> z =
        CubicSpline<double>::solve_tridiagonal(lower, diagonal, upper, ends);
    const V along = (corner / (1 + corner * (z.front() + z.back()))) * (x.front() + x.back());
    for (std::size_t i = 0; i < n; ++i) x[i] -= z[i] * along;
    x.push_back(x.front());
    return x;
  }

  template <class>
  friend class CubicSpline;

  std::vector<double> knots_;
  std::vector<Piece> pieces_;
  V last_value_{};
  SplineEnds ends_ = SplineEnds::natural;
};

}  // namespace taut
