// How far a run ends from where it is known to end.
#pragma once

#include "taut/scene/scene.hpp"

namespace taut::testing {

/// Of places over the size of the scene, of angles in rad; 0 where nothing is known.
double relative_final_error(const io::Scene& scene, const State& end);

}  // namespace taut::testing
