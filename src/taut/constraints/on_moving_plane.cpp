// A point on a plane that moves as prescribed, through o(t) and square to n(t): C = n(t)·(x −
// o(t)).
//
// n is used as it is given: of length one only where it is constant. Dividing by |n(t)| would
// change nothing about where C = 0 is, and make the formulas of the papers (the car axis, say)
// another problem. The multiplier is then the force over |n|; the reported error is a distance all
// the same.
#include "taut/constraints/on_moving_plane.hpp"

#include <cmath>

#include "taut/base/error.hpp"
#include "taut/constraints/constraint_batch.hpp"
#include "taut/constraints/constraint_info.hpp"

namespace taut {
namespace {

struct OnMovingPlaneRows : OnMovingPlane {
  static constexpr std::string_view unit = "m";
  static constexpr int rows = 1;
  static constexpr int anchor_count = 1;

  std::array<Anchor, 1> anchors() const { return {point}; }
  bool depends_on_time() const { return !through.is_constant() || !normal.is_constant(); }
  void prepare(const Columns<double, 1>&) {
    const Vec3 n = normal.value(0);
    if (!(n.norm() > 0)) throw Error("normal: a direction must not be the zero vector");
    if (normal.is_constant()) normal = Vec3(n.normalized());
  }

  void linearize(const Columns<double, 1>& x, double t, Linearization<1, 1>& out) const {
    const MotionSample<Vec3> o = through.at(t), n = normal.at(t);
    const Vec3 d = x - o.value;
    out.C[0] = n.value.dot(d);
    out.C_t[0] = n.rate.dot(d) - n.value.dot(o.rate);
    out.gradient[0] = n.value;
  }
  // 2 C_xt ẋ + C_tt with C_xt = ṅ and C_tt = n̈·(x − o) − 2 ṅ·ȯ − n·ö
  Eigen::Matrix<double, 1, 1> bias(const Columns<double, 1>& x, const Columns<double, 1>& rate,
                                   double t) const {
    const MotionSample<Vec3> o = through.at(t), n = normal.at(t);
    return Eigen::Matrix<double, 1, 1>(2 * n.rate.dot(rate - o.rate) +
                                       n.acceleration.dot(x - o.value) -
                                       n.value.dot(o.acceleration));
  }
  Mat3 curvature(const Columns<double, 1>&, double, const Eigen::Matrix<double, 1, 1>&) const {
    return Mat3::Zero();
  }
  double error(const Columns<double, 1>& x, double t) const {
    const Vec3 n = normal.value(t);
    return std::abs(n.dot(x - through.value(t))) / n.norm();
  }
};

}  // namespace

void constrain(System& system, OnMovingPlane constraint, std::string name) {
  add_constraint<OnMovingPlaneRows>(system, std::move(constraint), std::move(name));
}

ConstraintInfo describe_on_moving_plane() {
  return describe_constraint(
      FieldList<OnMovingPlane>()
          .required("point", &OnMovingPlane::point, "", "what slides on the plane")
          .optional("through", &OnMovingPlane::through, "m", "a point of the plane, or its motion")
          .required(
              "normal", &OnMovingPlane::normal, "",
              "direction perpendicular to the plane, or a motion; its length is not normalised"));
}

}  // namespace taut
