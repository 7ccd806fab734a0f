// Text from data, made safe for the place in the page where it goes.
#pragma once

#include <string>
#include <string_view>

namespace taut::report::detail {

/// For the content of elements and for attributes in double quotes. What is not UTF-8, and control
/// characters, become U+FFFD.
std::string escape_html(std::string_view text);

/// As escape_html, and `code` in backquotes is set as code.
std::string inline_html(std::string_view text);

/// One <p> with inline_html per paragraph; paragraphs are separated by empty lines.
std::string paragraphs_html(std::string_view text);

/// A JSON string with its quotes, safe inside <script>: it contains no "<".
std::string json_string(std::string_view text);

/// What can be in an id and in a link to it: letters, digits, "-" and "_"; others become "-".
std::string anchor(std::string_view text);

}  // namespace taut::report::detail
