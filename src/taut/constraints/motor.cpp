#include "taut/constraints/motor.hpp"

#include "taut/constraints/constraint_batch.hpp"
#include "taut/constraints/constraint_info.hpp"
#include "taut/constraints/coordinate_row.hpp"

namespace taut {
namespace {

struct MotorRows : CoordinateRow<Motor> {
  static constexpr std::string_view unit = "rad";

  bool depends_on_time() const { return true; }
  RowLaw law(int) const { return {RowLaw::Kind::rate, -max, max, joint.period(), 0}; }

  /// C is the coordinate itself: what it was at the start of a step is taken off there.
  void linearize(const Columns<double, 3>& x, double t, Linearization<1, 3>& out) const {
    out.C[0] = joint.value(x);
    out.C_t[0] = -speed.value(t);
    out.gradient[0] = joint.gradient(x);
  }
  Eigen::Matrix<double, 1, 1> bias(const Columns<double, 3>& x, const Columns<double, 3>& rate,
                                   double t) const {
    return Eigen::Matrix<double, 1, 1>(joint.bias(x, rate) - speed.at(t).rate);
  }
  /// Speeds are no errors of position.
  double error(const Columns<double, 3>&, double) const { return 0; }
};

}  // namespace

void constrain(System& system, Motor constraint, std::string name) {
  add_constraint<MotorRows>(system, std::move(constraint), std::move(name));
}

ConstraintInfo describe_motor() {
  return describe_constraint(FieldList<Motor>()
                                 .required("joint", &Motor::joint, "", "the joint that is driven")
                                 .optional("speed", &Motor::speed, "rad/s or m/s",
                                           "of its coordinate, constant or a motion")
                                 .optional("max", &Motor::max, "N·m or N",
                                           "largest torque or force; unlimited if not given",
                                           Range::non_negative));
}

}  // namespace taut
