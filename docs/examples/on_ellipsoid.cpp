// What scenes call the ellipsoid, and its fields.
#include "on_ellipsoid.hpp"

#include <taut/constraints/constraint_info.hpp>

namespace taut {

void constrain(System& system, OnEllipsoid constraint, std::string name) {
  add_constraint<Formula<OnEllipsoid>>(system, std::move(constraint), std::move(name));
}

ConstraintInfo describe_on_ellipsoid() {
  return describe_constraint(
      FieldList<OnEllipsoid>()
          .required("point", &OnEllipsoid::point, "", "what stays on the ellipsoid")
          .optional("radii", &OnEllipsoid::radii, "m", "half-axes along x, y and z"));
}

}  // namespace taut
