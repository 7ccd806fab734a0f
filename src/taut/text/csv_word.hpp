#pragma once

#include <string>
#include <string_view>

namespace taut::io {

/// A cell of a table, in quotes where a reader would stumble otherwise (RFC 4180).
inline std::string csv_word(std::string_view word) {
  if (word.find_first_of(",\"\n\r") == word.npos) return std::string(word);
  std::string quoted = "\"";
  for (const char c : word) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace taut::io
