// A smooth wire in space, closed or open: a C² spline through given points, or a formula.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "taut/base/type_info.hpp"
#include "taut/base/types.hpp"

namespace taut {

/// What is beyond the ends of an open curve.
enum class CurveEnds {
  finite,    ///< nothing: what slides there has left the curve
  extended,  ///< the curve goes on: a spline straight, a formula as it says
};
template <>
struct Choices<CurveEnds> {
  static constexpr std::array<std::string_view, 2> names{"finite", "extended"};
};

/// A place with its first three derivatives with respect to the parameter s.
using CurveFormula = std::function<std::array<Vec3, 4>(double s)>;

class Curve {
 public:
  Curve() = default;
  /// A spline. Throws Error for fewer than 2 points (3 when closed) or neighbours that coincide.
  Curve(std::vector<Vec3> points, bool closed, CurveEnds ends = CurveEnds::finite);
  /// Where s runs from `from` to `to`. Throws Error where it is not finite or stands still, and
  /// where one that is to be closed does not return to its start, in the direction it left.
  Curve(CurveFormula formula, double from, double to, bool closed,
        CurveEnds ends = CurveEnds::finite);

  bool is_given() const { return shape_ != nullptr; }
  bool is_closed() const { return closed_; }
  /// The parameters at its ends.
  double first() const { return samples_->front().s; }
  double last() const { return samples_->back().s; }
  /// The cubic a + b·u + c·u² + d·u³, u = s − start, that has the curve's place and first three
  /// derivatives at s.
  struct Piece {
    double start = 0;
    Vec3 a, b, c, d;
  };
  Piece piece(double s) const { return shape_->piece(s); }
  Vec3 at(double s) const;
  /// The parameter of the point of the curve nearest to x. That of an open curve may be beyond its
  /// ends, where it goes on smoothly.
  double nearest(const Vec3& x) const;
  /// Whether there is no curve at s, because it has ended.
  bool has_ended(double s) const;

 private:
  struct Shape {
    virtual ~Shape() = default;
    virtual Piece piece(double s) const = 0;
  };
  struct SplineShape;
  struct FormulaShape;
  struct Sample {
    double s;
    Vec3 place;
  };

  std::shared_ptr<const Shape> shape_;  // shared: curves are constant
  std::shared_ptr<const std::vector<Sample>> samples_;
  bool closed_ = false, has_ends_ = false;
};

template <>
inline constexpr ValueType value_type<Curve>{ValueKind::curve};

}  // namespace taut
