#pragma once

#include <optional>

#include "taut/scene/scene.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut::io {

/// What the scene's reference is compared with, if it has one.
std::optional<ReferenceTrack> reference_track(const Scene& scene);

}  // namespace taut::io
