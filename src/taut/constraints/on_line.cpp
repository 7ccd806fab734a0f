#include "taut/constraints/on_line.hpp"

#include "taut/constraints/constraint_batch.hpp"
#include "taut/constraints/constraint_info.hpp"

namespace taut {
namespace {

struct OnLineRows : OnLine {
  static constexpr std::string_view unit = "m";
  static constexpr int rows = 2;
  static constexpr int anchor_count = 4;  // x, o, n₁, n₂
  static constexpr bool quadratic = true;

  std::array<Anchor, 4> anchors() const {
    const Vec3 n1 = along.local.unitOrthogonal();
    return {point, through, Direction{along.body, n1},
            Direction{along.body, along.local.cross(n1).normalized()}};
  }
  bool depends_on_time() const { return false; }
  /// Of all points of a line in the world, the one next to what slides on it, as in on_plane.cpp.
  void prepare(const Columns<double, 4>& x) {
    along = unit_direction(along, "along");
    if (!through.body.is_world() || !along.body.is_world()) return;
    through.local += along.local.dot(x.col(0) - x.col(1)) * along.local;
  }

  void linearize(const Columns<double, 4>& x, double, Linearization<2, 4>& out) const {
    const Vec3 d = x.col(0) - x.col(1);
    out.C_t.setZero();
    for (int r = 0; r < 2; ++r) {
      const Vec3 n = x.col(2 + r);
      out.C[r] = n.dot(d);
      out.gradient[r].setZero();
      out.gradient[r].leftCols<2>() << n, -n;
      out.gradient[r].col(2 + r) = d;
    }
  }
  Eigen::Vector2d bias(const Columns<double, 4>&, const Columns<double, 4>& rate, double) const {
    return 2 * rate.rightCols<2>().transpose() * (rate.col(0) - rate.col(1));
  }
  Eigen::Matrix<double, 12, 12> curvature(const Columns<double, 4>&, double,
                                          const Eigen::Vector2d& lambda) const {
    Eigen::Matrix<double, 12, 12> K = Eigen::Matrix<double, 12, 12>::Zero();
    for (int r = 0; r < 2; ++r) {
      const int n = 6 + 3 * r;
      K.block<3, 3>(0, n) = K.block<3, 3>(n, 0) = lambda[r] * Mat3::Identity();
      K.block<3, 3>(3, n) = K.block<3, 3>(n, 3) = -lambda[r] * Mat3::Identity();
    }
    return K;
  }
  double error(const Columns<double, 4>& x, double) const {
    return (x.rightCols<2>().transpose() * (x.col(0) - x.col(1))).norm();
  }
};

}  // namespace

void constrain(System& system, OnLine constraint, std::string name) {
  add_constraint<OnLineRows>(system, std::move(constraint), std::move(name));
}

ConstraintInfo describe_on_line() {
  return describe_constraint(FieldList<OnLine>()
                                 .required("point", &OnLine::point, "", "what slides on the line")
                                 .required("through", &OnLine::through, "", "a point of the line")
                                 .required("along", &OnLine::along, "", "direction of the line"));
}

}  // namespace taut
