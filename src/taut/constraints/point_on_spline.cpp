#include "taut/constraints/point_on_spline.hpp"

#include "taut/base/error.hpp"
#include "taut/constraints/constraint_batch.hpp"
#include "taut/constraints/constraint_info.hpp"
#include "taut/constraints/on_curve_internal.hpp"

namespace taut {
namespace {

struct PointOnSplineRows : PointOnSpline {
  static constexpr std::string_view unit = "m";
  static constexpr int rows = 2;
  static constexpr int anchor_count = 5;  // x, o, e₁, e₂, e₃
  using Places = Columns<double, 5>;

  std::array<Anchor, 5> anchors() const {
    return {point, Point(body), Direction{body, Vec3::UnitX()}, Direction{body, Vec3::UnitY()},
            Direction{body, Vec3::UnitZ()}};
  }
  bool depends_on_time() const { return false; }
  void prepare(const Places& x) const {
    if (!curve.is_given()) throw Error("point_on_spline: the curve is missing");
    if (point.body == body) throw Error("point: it is on the body of the wire");
    if (has_ended(x)) throw Error(detail::starts_past_the_end);
  }
  static constexpr std::string_view ending = detail::past_the_end;
  bool has_ended(const Places& x) const { return curve.has_ended(curve.nearest(local(x))); }
  double error(const Places& x, double) const {
    const Vec3 y = local(x);
    return (y - curve.at(curve.nearest(y))).norm();
  }

  void linearize(const Places& x, double, Linearization<2, 5>& out) const {
    Linearization<2, 1> wire;
    detail::linearize_beside(curve, local(x), wire);
    out.C = wire.C;
    out.C_t.setZero();
    const Vec3 w = x.col(0) - x.col(1);
    for (std::size_t r = 0; r < 2; ++r) {
      const Vec3 g = wire.gradient[r], n = x.rightCols<3>() * g;
      out.gradient[r] << n, -n, g[0] * w, g[1] * w, g[2] * w;
    }
  }
  // ÿ_i = 2 ė_i·ẇ at constant ẋ
  Eigen::Vector2d bias(const Places& x, const Places& rate, double) const {
    Linearization<2, 1> wire;
    const Vec3 y = local(x);
    detail::linearize_beside(curve, y, wire);
    const Vec3 w = x.col(0) - x.col(1), w_rate = rate.col(0) - rate.col(1);
    const Vec3 y_rate = rate.rightCols<3>().transpose() * w + x.rightCols<3>().transpose() * w_rate;
    const Vec3 y_bias = 2 * rate.rightCols<3>().transpose() * w_rate;
    Eigen::Vector2d bias = detail::bias_beside(curve, y, y_rate);
    for (int r = 0; r < 2; ++r) bias[r] += wire.gradient[static_cast<std::size_t>(r)].dot(y_bias);
    return bias;
  }
  // Yᵀ C_yy Y + Σ_i C_y,i ∂²y_i, with Y = ∂y/∂x
  Eigen::Matrix<double, 15, 15> curvature(const Places& x, double,
                                          const Eigen::Vector2d& lambda) const {
    Linearization<2, 1> wire;
    const Vec3 y = local(x), w = x.col(0) - x.col(1);
    detail::linearize_beside(curve, y, wire);
    Eigen::Matrix<double, 3, 15> Y = Eigen::Matrix<double, 3, 15>::Zero();
    Y.leftCols<3>() = x.rightCols<3>().transpose();
    Y.middleCols<3>(3) = -Y.leftCols<3>();
    for (int i = 0; i < 3; ++i) Y.block<1, 3>(i, 6 + 3 * i) = w.transpose();
    // Lazily: Eigen's product of large matrices would take seconds to compile.
    const Eigen::Matrix<double, 3, 15> KY = detail::curvature_beside(curve, y, lambda) * Y;
    Eigen::Matrix<double, 15, 15> H = Y.transpose().lazyProduct(KY);
    const Vec3 g = lambda[0] * wire.gradient[0] + lambda[1] * wire.gradient[1];
    for (int i = 0; i < 3; ++i)
      for (int n = 0; n < 3; ++n) {
        const int e = 6 + 3 * i + n;
        H(n, e) += g[i];
        H(e, n) += g[i];
        H(3 + n, e) -= g[i];
        H(e, 3 + n) -= g[i];
      }
    return H;
  }

 private:
  static Vec3 local(const Places& x) {
    return x.rightCols<3>().transpose() * (x.col(0) - x.col(1));
  }
};

}  // namespace

void constrain(System& system, PointOnSpline constraint, std::string name) {
  add_constraint<PointOnSplineRows>(system, std::move(constraint), std::move(name));
}

ConstraintInfo describe_point_on_spline() {
  return describe_constraint(
      FieldList<PointOnSpline>()
          .required("point", &PointOnSpline::point, "", "what slides on the wire")
          .required("body", &PointOnSpline::body, "", "the rigid body the wire is fixed in")
          .required("curve", &PointOnSpline::curve, "m",
                    "the wire in the body's frame: points it runs through, or a formula; closed "
                    "or open"));
}

}  // namespace taut
