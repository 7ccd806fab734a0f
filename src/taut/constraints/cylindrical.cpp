#include "taut/constraints/cylindrical.hpp"

#include "taut/constraints/bilinear.hpp"
#include "taut/constraints/constraint_batch.hpp"
#include "taut/constraints/constraint_info.hpp"

namespace taut {
namespace {

struct CylindricalRows : Cylindrical, BilinearRows<CylindricalRows, 4, 7> {
  std::array<Anchor, 7> anchors() const { return {*a, b, ua, va, wa, vb, wb}; }
  static constexpr std::array equations{across(3, 0, 1), across(4, 0, 1), square(2, 5),
                                        square(2, 6)};

  void prepare(const System& system) { complete(system, type); }
  std::vector<JointCoordinate> coordinates(const System& system) const {
    return {{"turn", turn(turn_at_start)}, {"slide", slide(system, ua, slide_at_start)}};
  }
};

}  // namespace

void constrain(System& system, Cylindrical constraint, std::string name) {
  add_constraint<CylindricalRows>(system, std::move(constraint), std::move(name));
}

ConstraintInfo describe_cylindrical() {
  return describe_constraint(
      FieldList<Cylindrical>()
          .inherit(joint_fields("axis of rotation and sliding, at the start; z if not given"))
          .optional("turn", &Cylindrical::turn_at_start, "rad", "value of the angle at the start")
          .optional("slide", &Cylindrical::slide_at_start, "m",
                    "value of the displacement at the start; measured from a to b if not given"));
}

}  // namespace taut
