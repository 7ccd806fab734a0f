#include "taut/constraints/planar.hpp"

#include "taut/constraints/bilinear.hpp"
#include "taut/constraints/constraint_batch.hpp"
#include "taut/constraints/constraint_info.hpp"

namespace taut {
namespace {

struct PlanarRows : Planar, BilinearRows<PlanarRows, 3, 5> {
  std::array<Anchor, 5> anchors() const { return {*a, b, ua, vb, wb}; }
  static constexpr std::array equations{across(2, 0, 1), square(2, 3), square(2, 4)};

  void prepare(const System& system) { complete(system, type); }
  std::vector<JointCoordinate> coordinates(const System& system) const {
    return {{"turn", turn(turn_at_start)},
            {"x", slide(system, va, std::nullopt)},
            {"y", slide(system, wa, std::nullopt)}};
  }
};

}  // namespace

void constrain(System& system, Planar constraint, std::string name) {
  add_constraint<PlanarRows>(system, std::move(constraint), std::move(name));
}

ConstraintInfo describe_planar() {
  return describe_constraint(
      FieldList<Planar>()
          .inherit(joint_fields("normal of the plane, at the start; z if not given"))
          .optional("turn", &Planar::turn_at_start, "rad", "value of the angle at the start"));
}

}  // namespace taut
