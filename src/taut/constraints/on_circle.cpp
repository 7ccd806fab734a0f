#include "taut/constraints/on_circle.hpp"

#include <algorithm>
#include <cmath>

#include "taut/constraints/constraint_batch.hpp"
#include "taut/constraints/constraint_info.hpp"

namespace taut {
namespace {

struct OnCircleRows : OnCircle {
  static constexpr std::string_view unit = "m";
  static constexpr int rows = 2;
  static constexpr int anchor_count = 3;  // x, o, n
  static constexpr bool quadratic = true;

  std::array<Anchor, 3> anchors() const { return {point, center, axis}; }
  bool depends_on_time() const { return false; }
  void prepare(const Columns<double, 3>&) { axis = unit_direction(axis, "axis"); }

  void linearize(const Columns<double, 3>& x, double, Linearization<2, 3>& out) const {
    const Vec3 d = x.col(0) - x.col(1), n = x.col(2);
    const double l = d.norm();
    const Vec3 radial = l > 0 ? Vec3(d / l) : Vec3::Zero();  // no direction: the row cannot act
    out.C << n.dot(d), l - radius;
    out.C_t.setZero();
    out.gradient[0] << n, -n, d;
    out.gradient[1] << radial, -radial, Vec3::Zero();
  }
  Eigen::Vector2d bias(const Columns<double, 3>& x, const Columns<double, 3>& rate, double) const {
    const Vec3 d = x.col(0) - x.col(1), u = rate.col(0) - rate.col(1);
    const double l2 = d.squaredNorm();
    return {2 * rate.col(2).dot(u),
            l2 > 0 ? (u.squaredNorm() - d.dot(u) * d.dot(u) / l2) / std::sqrt(l2) : 0.0};
  }
  Eigen::Matrix<double, 9, 9> curvature(const Columns<double, 3>& x, double,
                                        const Eigen::Vector2d& lambda) const {
    const Vec3 d = x.col(0) - x.col(1);
    const double l = d.norm();
    Mat3 k = Mat3::Zero();
    if (l > 0) k = (lambda[1] / l) * (Mat3::Identity() - d * d.transpose() / (l * l));
    const Mat3 one = lambda[0] * Mat3::Identity();
    Eigen::Matrix<double, 9, 9> K;
    K << k, -k, one, -k, k, -one, one, -one, Mat3::Zero();
    return K;
  }

  // C₂ = (|d|² − r²)/(2r)
  void smooth_linearize(const Columns<double, 3>& x, double, Linearization<2, 3>& out) const {
    const Vec3 d = x.col(0) - x.col(1), n = x.col(2), radial = d / radius;
    out.C << n.dot(d), (d.squaredNorm() - radius * radius) / (2 * radius);
    out.C_t.setZero();
    out.gradient[0] << n, -n, d;
    out.gradient[1] << radial, -radial, Vec3::Zero();
  }
  Eigen::Matrix<double, 9, 9> smooth_curvature(const Columns<double, 3>&, double,
                                               const Eigen::Vector2d& lambda,
                                               Definiteness wanted) const {
    const bool exact = wanted == Definiteness::exact;
    const Mat3 k = (exact ? lambda[1] : std::max(lambda[1], 0.0)) / radius * Mat3::Identity();
    // The plane's part, between the point and its own normal, is of both signs: left out.
    const Mat3 one = exact ? Mat3(lambda[0] * Mat3::Identity()) : Mat3(Mat3::Zero());
    Eigen::Matrix<double, 9, 9> K;
    K << k, -k, one, -k, k, -one, one, -one, Mat3::Zero();
    return K;
  }

  double error(const Columns<double, 3>& x, double) const {
    const Vec3 d = x.col(0) - x.col(1), n = x.col(2);
    const double height = n.dot(d);
    return std::hypot(height, (d - height * n).norm() - radius);
  }
};

}  // namespace

void constrain(System& system, OnCircle constraint, std::string name) {
  add_constraint<OnCircleRows>(system, std::move(constraint), std::move(name));
}

ConstraintInfo describe_on_circle() {
  return describe_constraint(
      FieldList<OnCircle>()
          .required("point", &OnCircle::point, "", "the bead")
          .required("center", &OnCircle::center, "", "centre of the circle")
          .required("axis", &OnCircle::axis, "",
                    "direction perpendicular to the plane of the circle")
          .required("radius", &OnCircle::radius, "m", "radius of the circle", Range::positive));
}

}  // namespace taut
