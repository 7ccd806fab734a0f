#pragma once

#include <span>
#include <string_view>

namespace taut {

/// A file that was compiled into the library: see cmake/embed_texts.cmake.
struct EmbeddedText {
  std::string_view name;
  std::string_view text;
};

}  // namespace taut
