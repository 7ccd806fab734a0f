// Three points a, b, c keep the angle at b: C = θ − θ₀(t), strictly between 0 and π.
//
// With u = a − b, w = c − b, unit vectors û, ŵ, and c = cos θ = û·ŵ, s = sin θ:
//   ∂c/∂u = (ŵ − c û)/|u|
//   ∂²c/∂u² = −(û ŵᵀ + ŵ ûᵀ − 3c û ûᵀ + c 1)/|u|²
//   ∂²c/∂u∂w = (1 − û ûᵀ)(1 − ŵ ŵᵀ)/(|u||w|)
//   ∂θ = −∂c/s,   ∂²θ = −∂²c/s − (c/s³) ∂c ∂cᵀ
#include "taut/constraints/angle.hpp"

#include <algorithm>
#include <cmath>

#include "taut/base/error.hpp"
#include "taut/constraints/constraint_batch.hpp"
#include "taut/constraints/constraint_info.hpp"

namespace taut {
namespace {

struct AngleRows : Angle {
  static constexpr std::string_view unit = "rad";
  static constexpr int rows = 1;
  static constexpr int anchor_count = 3;

  std::array<Anchor, 3> anchors() const { return {a, b, c}; }
  bool depends_on_time() const { return !angle.is_constant(); }
  void prepare(const Columns<double, 3>& x) {
    const Legs legs(x);
    if (!(legs.lu > 0 && legs.lw > 0))
      throw Error("angle: two of its points coincide at the start");
    if (legs.s < straight)
      throw Error("angle: its points are in line at the start, where an angle has no direction");
    if (!angle.is_given()) angle = legs.angle();
    if (!(angle.value(0) < M_PI)) throw Error("angle: must be less than π");
  }

  void linearize(const Columns<double, 3>& x, double t, Linearization<1, 3>& out) const {
    const MotionSample<double> wanted = angle.at(t);
    const Legs legs(x);
    out.C[0] = legs.angle() - wanted.value;
    out.C_t[0] = -wanted.rate;
    const Vec3 u = -legs.cosine_u() / legs.s, w = -legs.cosine_w() / legs.s;
    out.gradient[0] << u, -(u + w), w;
  }

  Eigen::Matrix<double, 1, 1> bias(const Columns<double, 3>& x, const Columns<double, 3>& rate,
                                   double t) const {
    const Eigen::Map<const Eigen::Matrix<double, 9, 1>> velocity(rate.data());
    const Eigen::Matrix<double, 1, 1> one(1.0);
    return Eigen::Matrix<double, 1, 1>(velocity.dot(curvature(x, t, one) * velocity) -
                                       angle.at(t).acceleration);
  }

  Eigen::Matrix<double, 9, 9> curvature(const Columns<double, 3>& x, double,
                                        const Eigen::Matrix<double, 1, 1>& lambda) const {
    const Legs legs(x);
    const Vec3 cu = legs.cosine_u(), cw = legs.cosine_w();
    const double once = -lambda[0] / legs.s;
    const double twice = -lambda[0] * legs.c / (legs.s * legs.s * legs.s);
    const Mat3 uu = once * legs.cosine_uu() + twice * cu * cu.transpose();
    const Mat3 ww = once * legs.cosine_ww() + twice * cw * cw.transpose();
    const Mat3 uw = once * legs.cosine_uw() + twice * cu * cw.transpose();
    const Mat3 ub = -(uu + uw), wb = -(ww + uw.transpose());
    Eigen::Matrix<double, 9, 9> K;
    K << uu, ub, uw,                                 //
        ub.transpose(), -(ub + wb), wb.transpose(),  //
        uw.transpose(), wb, ww;
    return K;
  }

  double error(const Columns<double, 3>& x, double t) const {
    return std::abs(Legs(x).angle() - angle.value(t));
  }

 private:
  static constexpr double straight = 1e-6;  // sines below this count as in line

  struct Legs {
    explicit Legs(const Columns<double, 3>& x) : u(x.col(0) - x.col(1)), w(x.col(2) - x.col(1)) {
      lu = u.norm();
      lw = w.norm();
      if (lu > 0) u /= lu;
      if (lw > 0) w /= lw;
      c = u.dot(w);
      sine = u.cross(w).norm();
      s = std::max(sine, 1e-12);  // keeps the derivatives finite where they have no direction
    }
    double angle() const { return std::atan2(sine, c); }
    Vec3 cosine_u() const { return (w - c * u) / lu; }
    Vec3 cosine_w() const { return (u - c * w) / lw; }
    Mat3 cosine_uu() const { return second(u, w, lu); }
    Mat3 cosine_ww() const { return second(w, u, lw); }
    Mat3 cosine_uw() const {
      return (Mat3::Identity() - u * u.transpose()) * (Mat3::Identity() - w * w.transpose()) /
             (lu * lw);
    }
    Mat3 second(const Vec3& p, const Vec3& q, double l) const {
      return -(p * q.transpose() + q * p.transpose() - 3 * c * p * p.transpose() +
               c * Mat3::Identity()) /
             (l * l);
    }
    Vec3 u, w;
    double lu, lw, c, sine, s;
  };
};

}  // namespace

void constrain(System& system, Angle constraint, std::string name) {
  add_constraint<AngleRows>(system, std::move(constraint), std::move(name));
}

ConstraintInfo describe_angle() {
  return describe_constraint(
      FieldList<Angle>()
          .required("a", &Angle::a, "", "end of one leg")
          .required("b", &Angle::b, "", "the vertex")
          .required("c", &Angle::c, "", "end of the other leg")
          .optional("angle", &Angle::angle, "rad",
                    "between 0 and π (exclusive), or a motion; measured at the start if not given",
                    Range::positive));
}

}  // namespace taut
