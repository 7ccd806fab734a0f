// What a reader of measured times needs to know about where and when they were measured.
#pragma once

#include <string>

namespace taut::cli {

/// "Intel(R) Xeon(R) CPU @ 2.20GHz", or "unknown".
std::string processor_name();
/// "GCC 12.2.0"
std::string compiler_name();
/// "2024-05-31", UTC
std::string today();

}  // namespace taut::cli
