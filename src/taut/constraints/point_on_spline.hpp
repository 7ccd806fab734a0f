// A point of one body on a smooth wire that is fixed in another and moves with it: on_curve in the
// frame of that body, y_i = e_i·(x − o).
#pragma once

#include <tuple>

#include "taut/constraints/on_curve.hpp"

namespace taut {

struct SplineFormula {
  static constexpr std::string_view type = "point_on_spline";
  static constexpr std::string_view summary = "a point slides on a smooth wire fixed in a body";
  static constexpr std::string_view unit = "m";
  static constexpr int rows = 2;
  static constexpr int anchor_count = 5;

  Point point;
  BodyId body;
  Curve curve;

  static constexpr auto fields() {
    return std::tuple{
        required("point", &SplineFormula::point, "", "what slides on the wire"),
        required("body", &SplineFormula::body, "", "the rigid body the wire is fixed in"),
        required("curve", &SplineFormula::curve, "m",
                 "points the wire runs through, in the body's frame, and whether it is closed")};
  }

  std::array<Anchor, 5> anchors() const {
    return {point, Point(body), Direction{body, Vec3::UnitX()}, Direction{body, Vec3::UnitY()},
            Direction{body, Vec3::UnitZ()}};
  }
  bool depends_on_time() const { return false; }
  void prepare(const System&) const {
    if (!curve.is_given()) throw Error("point_on_spline: the curve is missing");
    if (point.body == body) throw Error("point: it is on the body of the wire");
  }
  double error(const Columns<double, 5>& x, double) const {
    const Vec3 y = x.rightCols<3>().transpose() * (x.col(0) - x.col(1));
    return (y - curve.at(curve.nearest(y))).norm();
  }

  template <class T>
  Eigen::Matrix<T, 2, 1> value(const Columns<T, 5>& x, const T& t) const {
    const Eigen::Matrix<T, 3, 1> way = x.col(0) - x.col(1);
    const Columns<T, 1> y(x.col(2).dot(way), x.col(3).dot(way), x.col(4).dot(way));
    return CurveFormula{point, curve}.value(y, t);
  }
};

using PointOnSpline = Formula<SplineFormula>;

}  // namespace taut
