#include "taut/constraints/limit.hpp"

#include <algorithm>
#include <cmath>

#include "taut/base/error.hpp"
#include "taut/constraints/constraint_batch.hpp"
#include "taut/constraints/constraint_info.hpp"
#include "taut/constraints/coordinate_row.hpp"

namespace taut {
namespace {

struct LimitRows : CoordinateRow<Limit> {
  static constexpr std::string_view unit = "rad";
  static constexpr std::string_view ending =
      "the middle one of three angles nears a quarter turn, where the outer ones have no meaning";

  bool depends_on_time() const { return false; }
  bool has_ended(const Columns<double, 3>& x) const {
    constexpr double nearly = 1.48;  // 85°
    return joint.kind == Coordinate::Kind::tilt && std::abs(joint.measured(x)) > nearly;
  }
  RowLaw law(int) const { return {RowLaw::Kind::limit, lower, upper, joint.period(), restitution}; }

  void prepare(const System&) {
    if (!(lower < upper))
      throw Error("lower: " + std::to_string(lower) +
                  " is not below upper: " + std::to_string(upper));
    if (!(restitution <= 1)) throw Error("restitution: it must not be more than 1");
  }
  /// C is the coordinate itself; what it is compared with is in the law.
  void linearize(const Columns<double, 3>& x, double, Linearization<1, 3>& out) const {
    out.C[0] = joint.value(x);
    out.C_t[0] = 0;
    out.gradient[0] = joint.gradient(x);
  }
  Eigen::Matrix<double, 1, 1> bias(const Columns<double, 3>& x, const Columns<double, 3>& rate,
                                   double) const {
    return Eigen::Matrix<double, 1, 1>(joint.bias(x, rate));
  }
  /// How far it is out of bounds; a turn counts as within when it is so with some whole turns.
  double error(const Columns<double, 3>& x, double) const {
    const double value = joint.value(x);
    const auto outside = [&](double at) { return std::max({lower - at, at - upper, 0.0}); };
    if (!joint.is_turn()) return outside(value);
    const double period = joint.period();
    if (!(upper - lower < period)) return 0;
    return outside(value + period * std::round((0.5 * (lower + upper) - value) / period));
  }
};

}  // namespace

void constrain(System& system, Limit constraint, std::string name) {
  add_constraint<LimitRows>(system, std::move(constraint), std::move(name));
}

ConstraintInfo describe_limit() {
  return describe_constraint(
      FieldList<Limit>()
          .required("joint", &Limit::joint, "", "the joint that is limited")
          .optional("lower", &Limit::lower, "rad or m",
                    "smallest value of its coordinate; no bound if not given")
          .optional("upper", &Limit::upper, "rad or m",
                    "largest value of its coordinate; no bound if not given")
          .optional("restitution", &Limit::restitution, "",
                    "speed after hitting a stop divided by that before, 0 to 1",
                    Range::non_negative));
}

}  // namespace taut
