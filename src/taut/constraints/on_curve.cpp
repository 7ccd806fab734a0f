// A bead on a smooth wire c(s). With s* the parameter of the nearest point of the wire and two unit
// normals n₁, n₂ of the wire there: C_i = n_i(s*)·(x − c(s*)).
//
// s* depends on x through (x − c(s*))·c'(s*) = 0. It is found with plain numbers; two more Newton
// steps on jets then carry its first and second derivatives, exactly.
// Where a wire comes close to itself the bead belongs to the nearer branch.
#include "taut/constraints/on_curve.hpp"

#include <cmath>

#include "taut/base/error.hpp"
#include "taut/constraints/constraint_batch.hpp"
#include "taut/constraints/constraint_info.hpp"
#include "taut/constraints/formula.hpp"
#include "taut/constraints/on_curve_internal.hpp"

namespace taut {
namespace {

struct OnCurveRows : OnCurve {
  static constexpr std::string_view unit = "m";
  static constexpr int rows = 2;
  static constexpr int anchor_count = 1;

  std::array<Anchor, 1> anchors() const { return {point}; }
  bool depends_on_time() const { return false; }
  void prepare(const Columns<double, 1>& x) const {
    if (!curve.is_given()) throw Error("on_curve: the curve is missing");
    if (has_ended(x)) throw Error(detail::starts_past_the_end);
  }
  static constexpr std::string_view ending = detail::past_the_end;
  bool has_ended(const Columns<double, 1>& x) const { return curve.has_ended(curve.nearest(x)); }
  double error(const Columns<double, 1>& x, double) const {
    return (x - curve.at(curve.nearest(x))).norm();
  }

  template <class T>
  Eigen::Matrix<T, 2, 1> value(const Columns<T, 1>& x, const T&) const {
    using Vector = Eigen::Matrix<T, 3, 1>;
    const double nearest = curve.nearest({value_of(x[0]), value_of(x[1]), value_of(x[2])});
    const Curve::Piece piece = curve.piece(nearest);
    const Vector a = piece.a.template cast<T>(), b = piece.b.template cast<T>(),
                 c = piece.c.template cast<T>(), d = piece.d.template cast<T>();
    T u(nearest - piece.start);
    Vector offset, tangent;
    const auto evaluate = [&] {
      offset = x - (a + (b + (c + d * u) * u) * u);
      tangent = b + (c * T(2.0) + d * (u * T(3.0))) * u;
    };
    for (int newton = 0; newton < 2; ++newton) {
      evaluate();
      const Vector bend = c * T(2.0) + d * (u * T(6.0));
      u += offset.dot(tangent) / (tangent.dot(tangent) - offset.dot(bend));
    }
    evaluate();
    // Any smooth pair of normals will do: built from the axis that is least along the wire.
    int axis = 0;
    for (int i = 1; i < 3; ++i)
      if (std::abs(value_of(tangent[i])) < std::abs(value_of(tangent[axis]))) axis = i;
    Vector e(T(0.0), T(0.0), T(0.0));
    e[axis] = T(1.0);
    const Vector m1 = tangent.cross(e), m2 = tangent.cross(m1);
    using std::sqrt;
    return {m1.dot(offset) / sqrt(m1.dot(m1)), m2.dot(offset) / sqrt(m2.dot(m2))};
  }
};

}  // namespace

namespace detail {

void linearize_beside(const Curve& curve, const Columns<double, 1>& y, Linearization<2, 1>& out) {
  Formula<OnCurveRows>{{{{}, curve}}}.linearize(y, 0, out);
}
Eigen::Vector2d bias_beside(const Curve& curve, const Columns<double, 1>& y,
                            const Columns<double, 1>& rate) {
  return Formula<OnCurveRows>{{{{}, curve}}}.bias(y, rate, 0);
}
Mat3 curvature_beside(const Curve& curve, const Columns<double, 1>& y,
                      const Eigen::Vector2d& lambda) {
  return Formula<OnCurveRows>{{{{}, curve}}}.curvature(y, 0, lambda);
}

}  // namespace detail

void constrain(System& system, OnCurve constraint, std::string name) {
  add_constraint<Formula<OnCurveRows>>(system, std::move(constraint), std::move(name));
}

ConstraintInfo describe_on_curve() {
  return describe_constraint(
      FieldList<OnCurve>()
          .required("point", &OnCurve::point, "", "the bead")
          .required("curve", &OnCurve::curve, "m",
                    "the wire: points it runs through, or a formula; closed or open"));
}

}  // namespace taut
