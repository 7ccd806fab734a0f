#pragma once

#include <string>

#include "taut/report/document.hpp"

namespace taut::report {

/// The whole document as one page that opens offline in any browser: styles, script and data
/// inside.
std::string html(const Document& document);

}  // namespace taut::report
