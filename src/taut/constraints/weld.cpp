#include "taut/constraints/weld.hpp"

#include "taut/constraints/bilinear.hpp"
#include "taut/constraints/constraint_batch.hpp"
#include "taut/constraints/constraint_info.hpp"
#include "taut/constraints/point_joint_batch.hpp"

namespace taut {
namespace {

struct WeldRows : Weld, BilinearRows<WeldRows, 6, 6> {
  std::array<Anchor, 6> anchors() const { return {*a, b, ua, va, vb, wb}; }
  static constexpr std::array equations{coincide(0, 1, 0), coincide(0, 1, 1), coincide(0, 1, 2),
                                        square(2, 4),      square(2, 5),      square(3, 5)};

  void prepare(const System& system) { complete(system, type); }
  std::vector<JointCoordinate> coordinates(const System&) const { return {}; }
};

}  // namespace

void constrain(System& system, Weld constraint, std::string name) {
  add_constraint<WeldRows, Weld, PointJointBatch>(system, std::move(constraint), std::move(name));
}

ConstraintInfo describe_weld() {
  return describe_constraint(FieldList<Weld>().inherit(joint_fields("")));  // a weld has no axis
}

}  // namespace taut
