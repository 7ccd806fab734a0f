// Texts in one line.
#pragma once

#include <string>
#include <string_view>

namespace taut {

/// The texts of a range, with `separator` between them. (fmt::join needs all of fmt/format.h, which
/// takes a second to compile.)
template <class Texts>
std::string join(const Texts& texts, std::string_view separator) {
  std::string joined;
  bool first = true;
  for (const std::string_view text : texts) {
    if (!first) joined += separator;
    joined += text;
    first = false;
  }
  return joined;
}

}  // namespace taut
