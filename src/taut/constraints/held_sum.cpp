#include "taut/constraints/held_sum.hpp"

#include "taut/base/error.hpp"
#include "taut/constraints/constraint_batch.hpp"
#include "taut/constraints/constraint_info.hpp"

namespace taut {
namespace {

struct HeldSumRows : HeldSum {
  static constexpr std::string_view unit = "m";
  static constexpr int rows = 3;
  static constexpr int anchor_count = 6;  // those that are not used repeat the last, for nothing
  static constexpr bool quadratic = true;

  std::array<Anchor, anchor_count> anchors() const {
    std::array<Anchor, anchor_count> all;
    all.fill(points.back());
    std::copy(points.begin(), points.end(), all.begin());
    return all;
  }
  /// Along the axes of the world.
  static std::string_view row_name(int row) { return std::string_view("xyz").substr(row, 1); }
  bool depends_on_time() const { return !at.is_constant(); }
  RowLaw law(int) const {
    RowLaw law;
    if (until) law.until = *until;
    return law;
  }
  void prepare(const Columns<double, anchor_count>& x) {
    if (!at.is_given()) at = sum(x);
  }

  void linearize(const Columns<double, anchor_count>& x, double t,
                 Linearization<rows, anchor_count>& out) const {
    const MotionSample<Vec3> place = at.at(t);
    out.C = sum(x) - place.value;
    out.C_t = -place.rate;
    for (int r = 0; r < rows; ++r) {
      out.gradient[r].setZero();
      for (std::size_t k = 0; k < weights.size(); ++k)
        out.gradient[r](r, static_cast<int>(k)) = weights[k];
    }
  }
  Vec3 bias(const Columns<double, anchor_count>&, const Columns<double, anchor_count>&,
            double t) const {
    return -at.at(t).acceleration;
  }
  Eigen::Matrix<double, 3 * anchor_count, 3 * anchor_count> curvature(
      const Columns<double, anchor_count>&, double, const Vec3&) const {
    return Eigen::Matrix<double, 3 * anchor_count, 3 * anchor_count>::Zero();
  }
  double error(const Columns<double, anchor_count>& x, double t) const {
    return until && t > *until ? 0 : (sum(x) - at.value(t)).norm();
  }

 private:
  Vec3 sum(const Columns<double, anchor_count>& x) const {
    Vec3 s = Vec3::Zero();
    for (std::size_t k = 0; k < weights.size(); ++k) s += weights[k] * x.col(static_cast<int>(k));
    return s;
  }
};

}  // namespace

void constrain(System& system, HeldSum constraint, std::string name) {
  if (constraint.points.empty() || constraint.points.size() > HeldSumRows::anchor_count)
    throw Error("held_sum: found " + std::to_string(constraint.points.size()) +
                " points, expected 1 to 6");
  if (constraint.points.size() != constraint.weights.size())
    throw Error("held_sum: found " + std::to_string(constraint.points.size()) + " points and " +
                std::to_string(constraint.weights.size()) + " weights, expected as many");
  add_constraint<HeldSumRows>(system, std::move(constraint), std::move(name));
}

ConstraintInfo describe_held_sum() {
  return describe_constraint(
      FieldList<HeldSum>()
          .required("points", &HeldSum::points, "", "what is added up: 1 to 6 points")
          .required("weights", &HeldSum::weights, "", "what each is multiplied with")
          .optional("at", &HeldSum::at, "m",
                    "where the sum is, or a motion; where it is at the start if not given")
          .optional("until", &HeldSum::until, "s", "when it is released; never if not given"));
}

}  // namespace taut
