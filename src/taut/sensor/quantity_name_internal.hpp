// The names of quantities, taken apart.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taut::detail {

/// One part of "contact(box, 'left wall').force": its text, and what is in parentheses after it.
struct NamePart {
  std::string text;
  std::optional<std::vector<std::string_view>> arguments;
  bool is_quoted = false;
};

/// The parts between dots.
std::vector<NamePart> parts_of(std::string_view name);
/// Parts from `first` to before `last` as one name, with the dots: bodies' names may have some.
std::string joined(const std::vector<NamePart>& parts, std::size_t first, std::size_t last);
/// The name as it has to be written in a formula: in quotes where it is no identifier.
std::string as_written(std::string_view name);

}  // namespace taut::detail
