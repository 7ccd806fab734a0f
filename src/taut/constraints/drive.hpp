// A joint's coordinate follows a prescribed motion: C = c − c*(t). Its multiplier, turned round, is
// the torque (or force) that the motor needs: inverse dynamics.
#pragma once

#include <tuple>

#include "taut/base/field.hpp"
#include "taut/constraints/constraint_batch.hpp"
#include "taut/constraints/coordinate_row.hpp"
#include "taut/model/motion.hpp"

namespace taut {

struct Drive : CoordinateRow {
  static constexpr std::string_view type = "drive";
  static constexpr std::string_view summary =
      "a joint moves as prescribed; its force is what that needs";
  static constexpr std::string_view unit = "rad";

  Motion<double> position;

  static constexpr auto fields() {
    return std::tuple{
        required("joint", &Drive::joint, "", "the joint that is driven"),
        required("position", &Drive::position, "rad or m", "its coordinate, a number or a motion")};
  }

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

}  // namespace taut
