#include "taut/constraints/constraint_batch.hpp"

#include "taut/base/error.hpp"

namespace taut {

Direction unit_direction(const Direction& direction, const char* name) {
  const double length = direction.local.norm();
  if (!(length > 0)) throw Error(std::string(name) + ": a direction must not be the zero vector");
  return {direction.body, direction.local / length};
}

Direction fixed_in(const System& system, BodyId body, const Direction& direction,
                   const char* name) {
  if (body.is_world() || !system.is_rigid(body))
    throw Error(std::string(name) + ": " +
                (body.is_world() ? "the world" : "\"" + system.body_name(body) + "\"") +
                " does not turn; expected a rigid body");
  if (direction.body == body) return direction;
  if (!direction.body.is_world())
    throw Error(std::string(name) +
                ": it is a direction of another body; expected one of the world, or of \"" +
                system.body_name(body) + "\", which it turns with");
  return system.direction_along(body, direction.local);
}

}  // namespace taut
