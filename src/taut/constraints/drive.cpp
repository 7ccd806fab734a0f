#include "taut/constraints/drive.hpp"

#include <cmath>

#include "taut/constraints/constraint_batch.hpp"
#include "taut/constraints/constraint_info.hpp"
#include "taut/constraints/coordinate_row.hpp"

namespace taut {
namespace {

struct DriveRows : CoordinateRow<Drive> {
  static constexpr std::string_view unit = "rad";

  bool depends_on_time() const { return !position.is_constant(); }

  void linearize(const Columns<double, 3>& x, double t, Linearization<1, 3>& out) const {
    const MotionSample<double> wanted = position.at(t);
    out.C[0] = difference(x, wanted.value);
    out.C_t[0] = -wanted.rate;
    out.gradient[0] = joint.gradient(x);
  }
  Eigen::Matrix<double, 1, 1> bias(const Columns<double, 3>& x, const Columns<double, 3>& rate,
                                   double t) const {
    return Eigen::Matrix<double, 1, 1>(joint.bias(x, rate) - position.at(t).acceleration);
  }
  double error(const Columns<double, 3>& x, double t) const {
    return std::abs(difference(x, position.value(t)));
  }

 private:
  double difference(const Columns<double, 3>& x, double wanted) const {
    const double difference = joint.value(x) - wanted;
    return joint.is_turn() ? shorter_way(difference) : difference;
  }
};

}  // namespace

void constrain(System& system, Drive constraint, std::string name) {
  add_constraint<DriveRows>(system, std::move(constraint), std::move(name));
}

ConstraintInfo describe_drive() {
  return describe_constraint(FieldList<Drive>()
                                 .required("joint", &Drive::joint, "", "the joint that is driven")
                                 .required("position", &Drive::position, "rad or m",
                                           "value of its coordinate, or a motion"));
}

}  // namespace taut
