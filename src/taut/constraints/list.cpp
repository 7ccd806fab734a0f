#include "taut/constraints/list.hpp"

#include "taut/constraints/constraint_info.hpp"

#define TAUT_CONSTRAINTS(CONSTRAINT) \
  CONSTRAINT(pin)                    \
  CONSTRAINT(held_sum)               \
  CONSTRAINT(ball)                   \
  CONSTRAINT(distance)               \
  CONSTRAINT(stretch)                \
  CONSTRAINT(on_plane)               \
  CONSTRAINT(on_moving_plane)        \
  CONSTRAINT(on_line)                \
  CONSTRAINT(on_circle)              \
  CONSTRAINT(on_curve)               \
  CONSTRAINT(point_on_spline)        \
  CONSTRAINT(angle)                  \
  CONSTRAINT(knife_edge)             \
  CONSTRAINT(rolling)                \
  CONSTRAINT(hinge)                  \
  CONSTRAINT(slider)                 \
  CONSTRAINT(cylindrical)            \
  CONSTRAINT(universal)              \
  CONSTRAINT(planar)                 \
  CONSTRAINT(weld)                   \
  CONSTRAINT(screw)                  \
  CONSTRAINT(gear)                   \
  CONSTRAINT(rack)                   \
  CONSTRAINT(drive)                  \
  CONSTRAINT(limit)                  \
  CONSTRAINT(motor)

namespace taut {

#define TAUT_DECLARE(name) ConstraintInfo describe_##name();
TAUT_CONSTRAINTS(TAUT_DECLARE)
#undef TAUT_DECLARE

const std::vector<ConstraintInfo>& constraint_types() {
#define TAUT_CALL(name) describe_##name(),
  static const std::vector<ConstraintInfo> all{TAUT_CONSTRAINTS(TAUT_CALL)};
#undef TAUT_CALL
  return all;
}

}  // namespace taut
