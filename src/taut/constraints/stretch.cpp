// With the corners x_i, at the start in a plane, and a unit vector t in it, a line along t becomes
//   w = Σ w_i x_i,   w_i = ∇b_i · t,
// times its length: a column of the deformation gradient (Baraff and Witkin 1998, Large Steps in
// Cloth Simulation). b_i are the barycentric coordinates, so Σ w_i = 0, and |w| = 1 at the start.
// The row is
//   C = l (|w|² − r²)/(2r),   l = √(2 area),
// which has the slope of l (|w| − r) where it is zero: λ is a force, and C/l a strain. It is
// quadratic, with the Hessian (l/r) w_i w_j.
#include "taut/constraints/stretch.hpp"

#include <cmath>
#include <limits>

#include "taut/base/error.hpp"
#include "taut/constraints/constraint_batch.hpp"
#include "taut/constraints/constraint_info.hpp"

namespace taut {
namespace {

struct StretchRows : Stretch {
  static constexpr std::string_view unit = "m";
  static constexpr int rows = 1;
  static constexpr int anchor_count = 3;
  static constexpr bool quadratic = true;
  using Places = Columns<double, 3>;

  std::array<Anchor, 3> anchors() const {
    return {Point(points.body[0]), Point(points.body[1]), Point(points.body[2])};
  }
  static std::string_view row_name(int) { return "tension"; }
  bool depends_on_time() const { return false; }
  double natural_length() const { return size; }
  RowLaw law(int) const {
    RowLaw law;
    if (!slack) return law;
    law.kind = RowLaw::Kind::limit;
    law.lower = -std::numeric_limits<double>::infinity();
    law.is_thread = is_thread;
    return law;
  }

  void prepare(const Places& x) {
    const Vec3 u = x.col(1) - x.col(0), v = x.col(2) - x.col(0), normal = u.cross(v);
    const double twice = normal.norm();
    if (!(twice > 0)) throw Error("stretch: its points coincide or are in line at the start");
    const Vec3 in_plane = direction - normal * (normal.dot(direction) / (twice * twice));
    if (!(in_plane.norm() > 1e-6 * direction.norm()))
      throw Error("stretch: its direction is square to the triangle");
    const Vec3 t = in_plane.normalized();
    // ∇b of a corner is square to the side opposite.
    weights[1] = v.cross(normal).dot(t) / (twice * twice);
    weights[2] = normal.cross(u).dot(t) / (twice * twice);
    weights[0] = -weights[1] - weights[2];
    size = std::sqrt(twice);
  }

  void linearize(const Places& x, double, Linearization<1, 3>& out) const {
    const Vec3 w = line(x);
    out.C[0] = 0.5 * size / ratio * (w.squaredNorm() - ratio * ratio);
    out.C_t[0] = 0;
    for (int k = 0; k < 3; ++k) out.gradient[0].col(k) = (size / ratio * weights[k]) * w;
  }
  Eigen::Matrix<double, 1, 1> bias(const Places&, const Places& rate, double) const {
    return Eigen::Matrix<double, 1, 1>(size / ratio * line(rate).squaredNorm());
  }
  Eigen::Matrix<double, 9, 9> curvature(const Places&, double,
                                        const Eigen::Matrix<double, 1, 1>& lambda) const {
    Eigen::Matrix<double, 9, 9> H;
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l)
        H.block<3, 3>(3 * k, 3 * l) =
            (lambda[0] * size / ratio * weights[k] * weights[l]) * Mat3::Identity();
    return H;
  }
  double error(const Places& x, double) const {
    const double excess = size * (line(x).norm() - ratio);
    return slack ? std::max(excess, 0.0) : std::abs(excess);
  }

 private:
  std::array<double, 3> weights{};
  double size = 0;  // l

  Vec3 line(const Places& x) const {
    return weights[0] * x.col(0) + weights[1] * x.col(1) + weights[2] * x.col(2);
  }
};

void check(const Stretch& constraint) {
  if (constraint.points.size() != 3) throw Error("stretch: found four points, expected three");
}

}  // namespace

void constrain(System& system, Stretch constraint, std::string name) {
  check(constraint);
  add_constraint<StretchRows>(system, std::move(constraint), std::move(name));
}

void constrain(System& system, std::vector<Stretch> constraints, std::vector<std::string> names) {
  for (std::size_t i = 0; i < constraints.size(); ++i)
    constrain(system, std::move(constraints[i]), std::move(names[i]));
}

ConstraintInfo describe_stretch() {
  return describe_constraint(
      FieldList<Stretch>()
          .required("points", &Stretch::points, "", "the corners of the triangle: three particles")
          .required("direction", &Stretch::direction, "",
                    "along which it keeps its lengths, as it is at the start")
          .optional("ratio", &Stretch::ratio, "", "of lengths to those at the start",
                    Range::positive)
          .optional("slack", &Stretch::slack, "", "true: it may be shorter than that"));
}

}  // namespace taut
