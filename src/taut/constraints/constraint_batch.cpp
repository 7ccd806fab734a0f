#include "taut/constraints/constraint_batch.hpp"

#include "taut/base/error.hpp"

namespace taut {

Direction unit_direction(const Direction& direction, const char* name) {
  const double length = direction.local.norm();
  if (!(length > 0)) throw Error(std::string(name) + ": a direction must not be the zero vector");
  return {direction.body, direction.local / length};
}

}  // namespace taut
