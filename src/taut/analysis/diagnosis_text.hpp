// Findings in words.
#pragma once

#include <string>
#include <string_view>

#include "taut/analysis/diagnosis.hpp"

namespace taut {

/// One sentence that names the row and those it depends on.
std::string describe(const Dependency& dependency);
/// conflict, redundant, or singular (only in this position)
std::string_view kind_text(const Dependency& dependency);

}  // namespace taut
