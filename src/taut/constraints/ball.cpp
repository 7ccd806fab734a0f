#include "taut/constraints/ball.hpp"

#include "taut/base/error.hpp"
#include "taut/constraints/constraint_batch.hpp"
#include "taut/constraints/constraint_info.hpp"

namespace taut {
namespace {

struct BallRows : Ball {
  static constexpr std::string_view unit = "m";
  static constexpr int rows = 3;
  static constexpr int anchor_count = 2;
  static constexpr bool quadratic = true;

  std::array<Anchor, 2> anchors() const { return {a, b}; }
  /// Along the axes of the world.
  static std::string_view row_name(int row) { return std::string_view("xyz").substr(row, 1); }
  bool depends_on_time() const { return false; }

  void linearize(const Columns<double, 2>& x, double, Linearization<3, 2>& out) const {
    out.C = x.col(1) - x.col(0);
    out.C_t.setZero();
    for (int r = 0; r < 3; ++r) out.gradient[r] << -Vec3::Unit(r), Vec3::Unit(r);
  }
  Vec3 bias(const Columns<double, 2>&, const Columns<double, 2>&, double) const {
    return Vec3::Zero();
  }
  Eigen::Matrix<double, 6, 6> curvature(const Columns<double, 2>&, double, const Vec3&) const {
    return Eigen::Matrix<double, 6, 6>::Zero();
  }
  double error(const Columns<double, 2>& x, double) const { return (x.col(1) - x.col(0)).norm(); }
};

}  // namespace

void constrain(System& system, Ball constraint, std::string name) {
  if (constraint.a.body == constraint.b.body && !constraint.a.body.is_world())
    throw Error("ball: a and b are on the same body");
  add_constraint<BallRows>(system, std::move(constraint), std::move(name));
}

ConstraintInfo describe_ball() {
  return describe_constraint(FieldList<Ball>()
                                 .required("a", &Ball::a, "", "one point")
                                 .required("b", &Ball::b, "", "the point that coincides with it"));
}

}  // namespace taut
