#pragma once

#include <string>

namespace taut::report {

/// A number with four significant digits for readers: "0.025", "1234", "3.2×10⁻⁷". Not for
/// programs.
std::string number_text(double value);

}  // namespace taut::report
