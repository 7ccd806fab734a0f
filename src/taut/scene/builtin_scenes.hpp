#pragma once

#include "taut/base/embedded.hpp"

namespace taut::io {

/// The files of scenes/, by name.
std::span<const EmbeddedText> builtin_scenes();

}  // namespace taut::io
