#include "taut/constraints/hinge.hpp"

#include "taut/constraints/bilinear.hpp"
#include "taut/constraints/constraint_batch.hpp"
#include "taut/constraints/constraint_info.hpp"
#include "taut/constraints/point_joint_batch.hpp"

namespace taut {
namespace {

struct HingeRows : Hinge, BilinearRows<HingeRows, 5, 5> {
  std::array<Anchor, 5> anchors() const { return {*a, b, ua, vb, wb}; }
  static constexpr std::array equations{coincide(0, 1, 0), coincide(0, 1, 1), coincide(0, 1, 2),
                                        square(2, 3), square(2, 4)};

  void prepare(const System& system) { complete(system, type); }
  std::vector<JointCoordinate> coordinates(const System&) const {
    return {{"turn", turn(turn_at_start)}};
  }
};

}  // namespace

void constrain(System& system, Hinge constraint, std::string name) {
  add_constraint<HingeRows, Hinge, PointJointBatch>(system, std::move(constraint), std::move(name));
}

ConstraintInfo describe_hinge() {
  return describe_constraint(
      FieldList<Hinge>()
          .inherit(joint_fields("axis of rotation, at the start; z if not given"))
          .optional("turn", &Hinge::turn_at_start, "rad", "value of the angle at the start"));
}

}  // namespace taut
