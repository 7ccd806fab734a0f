#pragma once

#include "taut/base/embedded.hpp"

namespace taut::hand {

/// The files of motions/, by name: "grasp_box.json".
std::span<const EmbeddedText> builtin_motions();

}  // namespace taut::hand
