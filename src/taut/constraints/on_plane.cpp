#include "taut/constraints/on_plane.hpp"

#include <cmath>

#include "taut/constraints/constraint_batch.hpp"
#include "taut/constraints/constraint_info.hpp"

namespace taut {
namespace {

struct OnPlaneRows : OnPlane {
  static constexpr std::string_view unit = "m";
  static constexpr int rows = 1;
  static constexpr int anchor_count = 3;  // x, o, n
  static constexpr bool quadratic = true;

  std::array<Anchor, 3> anchors() const { return {point, through, normal}; }
  bool depends_on_time() const { return false; }
  /// Of all points of a plane in the world, the one next to what slides on it: a point far away
  /// would cost digits, and make the scene seem large.
  void prepare(const Columns<double, 3>& x) {
    normal = unit_direction(normal, "normal");
    if (!through.body.is_world() || !normal.body.is_world()) return;
    const Vec3 way = x.col(0) - x.col(1);
    through.local += way - normal.local.dot(way) * normal.local;
  }

  void linearize(const Columns<double, 3>& x, double, Linearization<1, 3>& out) const {
    const Vec3 d = x.col(0) - x.col(1), n = x.col(2);
    out.C[0] = n.dot(d);
    out.C_t[0] = 0;
    out.gradient[0] << n, -n, d;
  }
  Eigen::Matrix<double, 1, 1> bias(const Columns<double, 3>&, const Columns<double, 3>& rate,
                                   double) const {
    return Eigen::Matrix<double, 1, 1>(2 * rate.col(2).dot(rate.col(0) - rate.col(1)));
  }
  Eigen::Matrix<double, 9, 9> curvature(const Columns<double, 3>&, double,
                                        const Eigen::Matrix<double, 1, 1>& lambda) const {
    Eigen::Matrix<double, 9, 9> K = Eigen::Matrix<double, 9, 9>::Zero();
    K.block<3, 3>(0, 6) = K.block<3, 3>(6, 0) = lambda[0] * Mat3::Identity();
    K.block<3, 3>(3, 6) = K.block<3, 3>(6, 3) = -lambda[0] * Mat3::Identity();
    return K;
  }
  double error(const Columns<double, 3>& x, double) const {
    return std::abs(x.col(2).dot(x.col(0) - x.col(1)));
  }
};

}  // namespace

void constrain(System& system, OnPlane constraint, std::string name) {
  add_constraint<OnPlaneRows>(system, std::move(constraint), std::move(name));
}

ConstraintInfo describe_on_plane() {
  return describe_constraint(
      FieldList<OnPlane>()
          .required("point", &OnPlane::point, "", "what slides on the plane")
          .required("through", &OnPlane::through, "", "a point of the plane")
          .required("normal", &OnPlane::normal, "", "direction perpendicular to the plane"));
}

}  // namespace taut
