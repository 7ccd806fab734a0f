#include "support/final_errors.hpp"

#include <algorithm>

#include "taut/scene/final_error.hpp"
#include "taut/simulate/verdict.hpp"

namespace taut::testing {

double relative_final_error(const io::Scene& scene, const State& end) {
  const auto error = io::final_error(scene, end);
  if (!error) return 0;
  const State start = scene.system.initial_state();
  double size = scene_size(scene.system, start);
  for (const BodySlot& slot : scene.system.slots())
    size = std::max(size, (end.q.segment<3>(slot.q) - start.q.segment<3>(slot.q)).norm());
  const auto& known = scene.final_values->values;
  const bool has_angles = std::any_of(known.begin(), known.end(), [](const auto& value) {
    return value.quantity == io::FinalValues::Quantity::angle;
  });
  return error->position / (has_angles ? std::max(size, 1.0) : size);
}

}  // namespace taut::testing
