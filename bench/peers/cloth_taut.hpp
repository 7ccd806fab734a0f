#pragma once

#include "scene.hpp"
#include "taut/model/system.hpp"

namespace peers {

/// And which of its bodies are those of the scene, in their order.
taut::System cloth_system(const Scene& scene, std::vector<taut::BodyId>& moving);

}  // namespace peers
