#pragma once

#include "taut/base/embedded.hpp"

namespace taut::io {

/// The files of robots/, by name: "arm6.urdf".
std::span<const EmbeddedText> builtin_robots();

}  // namespace taut::io
