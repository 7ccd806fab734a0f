// From a file to a tree of values. Hostile files included: too long, too deep, not text at all.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "taut/text/node.hpp"

namespace taut::io {

inline constexpr std::size_t largest_file = std::size_t{64} << 20;
inline constexpr std::size_t deepest_nesting = 100;

/// The content of a file. Throws Error: no such file, a directory, not readable, too long.
/// `expected` says what the file should be, `most` how many bytes it may have.
std::string read_text(const std::string& path, std::string_view expected = "a scene file",
                      std::size_t most = largest_file);

/// Throws Error for what no text file of a `language` ("JSON", "XML") is: too long, empty, binary.
/// `expected` says what it should be: "a scene, a JSON object".
void refuse_unreadable(std::string_view text, const std::string& origin, std::string_view expected,
                       std::string_view language, std::size_t most = largest_file);

/// Throws Error with line and column for what is not JSON, with the JSON pointer for a duplicate
/// key or nesting that is too deep.
Node parse_json(std::string_view text, const std::string& origin);

}  // namespace taut::io
