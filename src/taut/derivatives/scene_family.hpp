// The family of models that a scene's parameters make.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "taut/derivatives/model_family.hpp"
#include "taut/scene/scene.hpp"

namespace taut::io {

/// Reads the scene with these settings of its parameters, which come after all others.
using SceneLoader = std::function<Scene(std::span<const Setting> settings)>;

/// `names`: of parameters, or of inputs, which then have that value all the time; or "input@0.5",
/// a control: what the input is from 0.5 s on, until the next one of the same input. Throws Error
/// for a name that is neither, with the nearest, and for whole numbers, which have no derivative.
/// What it makes throws Error where a parameter changes how many bodies there are, or the step.
ModelFamily scene_family(SceneLoader load, std::span<const std::string> names);

}  // namespace taut::io
