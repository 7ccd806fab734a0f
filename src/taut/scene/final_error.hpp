#pragma once

#include <optional>

#include "taut/scene/scene.hpp"

namespace taut::io {

/// How far a state is from what is known of it: the largest differences.
struct FinalError {
  double position = 0;  ///< of positions and angles, m or rad
  double velocity = 0;  ///< of velocities and angular velocities, m/s or rad/s
};

/// Against the scene's final values. Nothing when it has none, or when the state is not of their
/// time: the run must have ended there, so the step must divide it.
std::optional<FinalError> final_error(const Scene& scene, const State& state);

}  // namespace taut::io
