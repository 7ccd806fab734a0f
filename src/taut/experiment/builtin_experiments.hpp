#pragma once

#include <span>

#include "taut/base/embedded.hpp"

namespace taut::experiment {

/// The files of experiments/, in order.
std::span<const EmbeddedText> builtin_experiments();

}  // namespace taut::experiment
