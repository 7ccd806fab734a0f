#pragma once

#include "taut/base/embedded.hpp"

namespace taut::report {

/// The files of experiments/, in order.
std::span<const EmbeddedText> builtin_experiments();

}  // namespace taut::report
