// One colour per method, the same in every plot and wherever else methods are shown.
#pragma once

#include <cstddef>
#include <string_view>

namespace taut::report {

struct MethodColour {
  std::string_view on_light, on_dark;  ///< "#rrggbb", for light and for dark backgrounds
};

/// The colour of the method with this place in the list of methods. Beyond the last colour, they
/// start again.
MethodColour method_colour(std::size_t place);

/// How many different colours there are.
std::size_t method_colour_count();

}  // namespace taut::report
