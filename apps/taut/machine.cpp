#include "machine.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <ctime>
#include <fstream>

namespace taut::cli {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");  // Linux
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string compiler_name() {
#if defined(__clang__)
  return __VERSION__;
#elif defined(__GNUC__)
  return "GCC " __VERSION__;
#else
  return "unknown";
#endif
}

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))); }

}  // namespace taut::cli
