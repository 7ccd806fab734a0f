#include "taut/forces/list.hpp"

#define TAUT_FORCES(FORCE) \
  FORCE(gravity)           \
  FORCE(point_force)       \
  FORCE(body_torque)       \
  FORCE(spring)            \
  FORCE(pull)              \
  FORCE(bending)           \
  FORCE(drag)              \
  FORCE(wind)              \
  FORCE(joint_spring)      \
  FORCE(joint_torque)      \
  FORCE(servo)

namespace taut {

#define TAUT_DECLARE(name) ForceInfo describe_##name();
TAUT_FORCES(TAUT_DECLARE)
#undef TAUT_DECLARE

const std::vector<ForceInfo>& force_types() {
#define TAUT_CALL(name) describe_##name(),
  static const std::vector<ForceInfo> all{TAUT_FORCES(TAUT_CALL)};
#undef TAUT_CALL
  return all;
}

}  // namespace taut
