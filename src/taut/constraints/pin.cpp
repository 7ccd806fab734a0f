#include "taut/constraints/pin.hpp"

#include "taut/constraints/constraint_batch.hpp"
#include "taut/constraints/constraint_info.hpp"

namespace taut {
namespace {

struct PinRows : Pin {
  static constexpr std::string_view unit = "m";
  static constexpr int rows = 3;
  static constexpr int anchor_count = 1;
  static constexpr bool quadratic = true;

  std::array<Anchor, 1> anchors() const { return {point}; }
  /// Along the axes of the world.
  static std::string_view row_name(int row) { return std::string_view("xyz").substr(row, 1); }
  bool depends_on_time() const { return !at.is_constant(); }
  RowLaw law(int) const {
    RowLaw law;
    if (until) law.until = *until;
    return law;
  }
  void prepare(const Columns<double, 1>& x) {
    if (!at.is_given()) at = Vec3(x);
  }

  void linearize(const Columns<double, 1>& x, double t, Linearization<3, 1>& out) const {
    const MotionSample<Vec3> place = at.at(t);
    out.C = x - place.value;
    out.C_t = -place.rate;
    for (int r = 0; r < 3; ++r) out.gradient[r] = Vec3::Unit(r);
  }
  Vec3 bias(const Columns<double, 1>&, const Columns<double, 1>&, double t) const {
    return -at.at(t).acceleration;
  }
  Mat3 curvature(const Columns<double, 1>&, double, const Vec3&) const { return Mat3::Zero(); }
  double error(const Columns<double, 1>& x, double t) const {
    return until && t > *until ? 0 : (x - at.value(t)).norm();
  }
};

}  // namespace

void constrain(System& system, Pin constraint, std::string name) {
  add_constraint<PinRows>(system, std::move(constraint), std::move(name));
}

ConstraintInfo describe_pin() {
  return describe_constraint(
      FieldList<Pin>()
          .required("point", &Pin::point, "", "the point that is held")
          .optional("at", &Pin::at, "m",
                    "its position, or a motion; its position at the start if not given")
          .optional("until", &Pin::until, "s", "when the point is released; never if not given"));
}

}  // namespace taut
