#pragma once

#include <string>

#include "taut/report/document.hpp"

namespace taut::report {

/// A plot as an SVG file of its own, for light and dark backgrounds. Fields are left out.
std::string svg(const Plot& plot);

}  // namespace taut::report
