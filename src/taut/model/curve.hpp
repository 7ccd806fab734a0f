// A smooth wire in space: a closed or open C² spline through given points.
#pragma once

#include <memory>
#include <vector>

#include "taut/base/type_info.hpp"
#include "taut/base/types.hpp"

namespace taut {

template <class V>
class CubicSpline;

class Curve {
 public:
  Curve() = default;
  /// Throws Error for fewer than 2 points (3 when closed) or neighbours that coincide.
  /// An open curve goes on straight beyond its ends.
  Curve(std::vector<Vec3> points, bool closed);

  bool is_given() const { return spline_ != nullptr; }
  const CubicSpline<Vec3>& spline() const { return *spline_; }
  Vec3 at(double s) const;
  /// The parameter of the point of the curve nearest to x.
  double nearest(const Vec3& x) const;

 private:
  struct Sample {
    double s;
    Vec3 place;
  };
  std::shared_ptr<const CubicSpline<Vec3>> spline_;  // shared: curves are constant
  std::shared_ptr<const std::vector<Sample>> samples_;
};

template <>
inline constexpr ValueType value_type<Curve>{ValueKind::curve};

}  // namespace taut
