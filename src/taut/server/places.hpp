// Where in a JSON text a value is: to show an error at its line, and to change one value of a
// scene without touching how the rest is written.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taut::server {

/// [begin, end) of the text.
struct Span {
  std::size_t begin = 0, end = 0;
};

/// The value at a JSON pointer ("/bodies/0/mass"; "" is the whole). Nothing where there is none, or
/// where the text is no JSON.
std::optional<Span> find_value(std::string_view text, std::string_view pointer);
/// The values in an array, or nothing where it is none.
std::vector<Span> array_items(std::string_view text, const Span& array);

struct LineColumn {
  std::size_t line = 1, column = 1;
};
LineColumn line_column(std::string_view text, std::size_t at);

/// Where a message of the scene reader points to: "file: /bodies/0/mass (i = 3): …", or "line 3,
/// column 5".
struct ErrorPlace {
  std::string path;  ///< JSON pointer, may be empty
  std::optional<LineColumn> at;
};
ErrorPlace error_place(std::string_view message, std::string_view text);

}  // namespace taut::server
