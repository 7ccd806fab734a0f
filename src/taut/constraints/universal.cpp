#include "taut/constraints/universal.hpp"

#include <cmath>

#include "taut/base/error.hpp"
#include "taut/constraints/bilinear.hpp"
#include "taut/constraints/constraint_batch.hpp"
#include "taut/constraints/constraint_info.hpp"
#include "taut/constraints/point_joint_batch.hpp"

namespace taut {
namespace {

constexpr double typed = 1e-3;  // a cosine: what directions typed by hand are off by

struct UniversalRows : Universal, BilinearRows<UniversalRows, 4, 4> {
  std::array<Anchor, 4> anchors() const { return {*a, b, ua, vb}; }
  static constexpr std::array equations{coincide(0, 1, 0), coincide(0, 1, 1), coincide(0, 1, 2),
                                        square(2, 3)};

  void prepare(const System& system) {
    locate(system, type);
    const Vec3 u = unit_along(system.initial_place(axis), "axis");
    const Vec3 v = unit_along(system.initial_place(second), "second_axis");
    if (std::abs(u.dot(v)) > typed)
      throw Error("second_axis: it must be square to the axis; the cosine between them is " +
                  std::to_string(u.dot(v)));
    set_directions(system, u, (v - u * u.dot(v)).normalized());
  }
  // About u of a goes the direction v of b; about v of b, backwards, the direction u of a.
  std::vector<JointCoordinate> coordinates(const System&) const {
    return {{"turn", turn(turn_at_start)},
            {"second_turn",
             {Coordinate::Kind::turn, {ub, wb, ua}, second_turn_at_start, second_turn_at_start}}};
  }
};

}  // namespace

void constrain(System& system, Universal constraint, std::string name) {
  add_constraint<UniversalRows, Universal, PointJointBatch>(system, std::move(constraint),
                                                            std::move(name));
}

ConstraintInfo describe_universal() {
  return describe_constraint(
      FieldList<Universal>()
          .inherit(joint_fields("axis fixed in a, at the start; z if not given"))
          .optional("second_axis", &Universal::second, "",
                    "axis fixed in b, at the start; x if not given")
          .optional("turn", &Universal::turn_at_start, "rad",
                    "value of the angle about axis at the start")
          .optional("second_turn", &Universal::second_turn_at_start, "rad",
                    "value of the angle about second_axis at the start"));
}

}  // namespace taut
