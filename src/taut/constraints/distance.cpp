// Two points at a given distance: a massless rod, a link of a chain, an edge of a cloth. Or, with
// slack, at most at that distance: a string, which pulls (λ ≥ 0) and does not push.
//
// With d = b − a, l = |d|, and the length L(t):
//   length   C = l − L                  ∂C/∂d = d/l       C_dd = (1 − d dᵀ/l²)/l
//   squared  C = (l² − L²)/(2L)         ∂C/∂d = d/L       C_dd = 1/L
// The squared form is quadratic: smooth where l = 0, with a constant Hessian. Both have the same
// first derivative on C = 0, so λ is the tension in the rod in either form.
#include "taut/constraints/distance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "taut/base/error.hpp"
#include "taut/constraints/constraint_info.hpp"
#include "taut/constraints/inlined_batch.hpp"

namespace taut {
namespace {

struct DistanceRows : Distance {
  static constexpr std::string_view unit = "m";
  static constexpr int rows = 1;
  static constexpr int anchor_count = 2;
  static constexpr bool quadratic = true;

  std::array<Anchor, 2> anchors() const { return {a, b}; }
  static std::string_view row_name(int) { return "tension"; }
  bool depends_on_time() const { return !length.is_constant(); }
  double natural_length() const { return length.value(0); }
  RowLaw law(int) const {
    RowLaw law;
    if (!slack) return law;
    law.kind = RowLaw::Kind::limit;
    law.lower = -std::numeric_limits<double>::infinity();
    law.is_thread = is_thread;
    return law;
  }
  void prepare(const Columns<double, 2>& x) {
    if (length.is_given()) return;
    const double measured = (x.col(1) - x.col(0)).norm();
    if (!(measured > 0))
      throw Error("distance: its ends coincide at the start, so a length must be given");
    length = measured;
  }

  void linearize(const Columns<double, 2>& x, double t, Linearization<1, 2>& out) const {
    if (form == DistanceForm::squared) return smooth_linearize(x, t, out);
    const Vec3 d = x.col(1) - x.col(0);
    const double l = d.norm();
    out.C[0] = l - length.value(t);
    out.C_t[0] = length.is_constant() ? 0 : -length.at(t).rate;
    const Vec3 n = l > 0 ? Vec3(d / l) : Vec3::Zero();  // no direction: the row cannot act
    out.gradient[0].col(0) = -n;
    out.gradient[0].col(1) = n;
  }

  Eigen::Matrix<double, 1, 1> bias(const Columns<double, 2>& x, const Columns<double, 2>& rate,
                                   double t) const {
    const Vec3 d = x.col(1) - x.col(0);
    const Vec3 u = rate.col(1) - rate.col(0);
    const MotionSample<double> L = length.at(t);
    double bias = 0;
    if (form == DistanceForm::length) {
      const double l2 = d.squaredNorm();
      if (l2 > 0) bias = (u.squaredNorm() - d.dot(u) * d.dot(u) / l2) / std::sqrt(l2);
      bias -= L.acceleration;
    } else {
      const double l2 = d.squaredNorm(), Li = 1 / L.value;
      bias = u.squaredNorm() * Li - 2 * d.dot(u) * Li * Li * L.rate +
             l2 * Li * Li * Li * L.rate * L.rate - 0.5 * (l2 * Li * Li + 1) * L.acceleration;
    }
    return Eigen::Matrix<double, 1, 1>(bias);
  }

  Eigen::Matrix<double, 6, 6> curvature(const Columns<double, 2>& x, double t,
                                        const Eigen::Matrix<double, 1, 1>& lambda) const {
    Mat3 k = Mat3::Zero();
    if (form == DistanceForm::length) {
      const Vec3 d = x.col(1) - x.col(0);
      const double l = d.norm();
      if (l > 0) k = (lambda[0] / l) * (Mat3::Identity() - d * d.transpose() / (l * l));
    } else {
      k = (lambda[0] / length.value(t)) * Mat3::Identity();
    }
    return between_ends(k);
  }
  [[gnu::always_inline]] void smooth_linearize(const Columns<double, 2>& x, double t,
                                               Linearization<1, 2>& out) const {
    const Vec3 d = x.col(1) - x.col(0);
    const double l2 = d.squaredNorm(), L = length.value(t), inverse = 1 / L;
    out.C[0] = 0.5 * inverse * (l2 - L * L);
    // C = l²/(2L) − L/2
    out.C_t[0] = length.is_constant() ? 0 : -0.5 * (l2 / (L * L) + 1) * length.at(t).rate;
    const Vec3 n = inverse * d;
    out.gradient[0].col(0) = -n;
    out.gradient[0].col(1) = n;
  }
  struct Pair {
    BodyId a, b;
    double length, inverse;

    [[gnu::always_inline]] double linearize(double* d) const {
      const double l2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
      for (int k = 0; k < 3; ++k) d[k] *= inverse;
      return 0.5 * inverse * (l2 - length * length);
    }
    [[gnu::always_inline]] double tension(double lambda, Definiteness wanted) const {
      return inverse * (wanted == Definiteness::exact ? lambda : std::max(lambda, 0.0));
    }
  };
  Pair pair() const {
    const double L = length.is_constant() ? length.value(0) : 1;
    return {a.body, b.body, L, 1 / L};
  }
  [[gnu::always_inline]] Eigen::Matrix<double, 6, 6> smooth_curvature(
      const Columns<double, 2>&, double t, const Eigen::Matrix<double, 1, 1>& lambda,
      Definiteness wanted) const {
    return between_ends(smooth_tension(t, lambda, wanted) * Mat3::Identity());
  }
  /// A rod in tension resists being turned; in compression it gives way.
  [[gnu::always_inline]] double smooth_tension(double t, const Eigen::Matrix<double, 1, 1>& lambda,
                                               Definiteness wanted) const {
    const double tension = wanted == Definiteness::exact ? lambda[0] : std::max(lambda[0], 0.0);
    return tension / length.value(t);
  }

  double error(const Columns<double, 2>& x, double t) const {
    const double excess = (x.col(1) - x.col(0)).norm() - length.value(t);
    return slack ? std::max(excess, 0.0) : std::abs(excess);
  }

 private:
  [[gnu::always_inline]] static Eigen::Matrix<double, 6, 6> between_ends(const Mat3& k) {
    Eigen::Matrix<double, 6, 6> K;
    K.topLeftCorner<3, 3>() = K.bottomRightCorner<3, 3>() = k;
    K.topRightCorner<3, 3>() = K.bottomLeftCorner<3, 3>() = -k;
    return K;
  }
};

}  // namespace

void constrain(System& system, Distance constraint, std::string name) {
  // Round-off would be all that is left of its row.
  if (constraint.a.body == constraint.b.body && !constraint.a.body.is_world())
    throw Error("distance: a and b are on the same body");
  add_constraint<DistanceRows, Distance, InlinedBatch>(system, std::move(constraint),
                                                       std::move(name));
}

void constrain(System& system, std::vector<Distance> constraints, std::vector<std::string> names) {
  add_constraints<DistanceRows, Distance, InlinedBatch>(system, std::move(constraints),
                                                        std::move(names));
}

ConstraintInfo describe_distance() {
  return describe_constraint(
      FieldList<Distance>()
          .required("a", &Distance::a, "", "one end")
          .required("b", &Distance::b, "", "the other end")
          .optional("length", &Distance::length, "m",
                    "their distance, or a motion; measured at the start if not given",
                    Range::positive)
          .optional("form", &Distance::form, "",
                    "equation that is solved: |d| − L or (|d|² − L²)/2L")
          .optional("slack", &Distance::slack, "",
                    "true: a string, the points may be closer than length"));
}

}  // namespace taut
