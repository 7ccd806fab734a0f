#include "taut/report/method_colours.hpp"

#include <array>

namespace taut::report {
namespace {

// Methods that often share a plot are far apart in hue or lightness. From the second to the eighth
// it is the palette of Okabe and Ito (black instead of yellow, which is lost on white), whose
// colours people with colour-blindness can tell apart. Plots distinguish methods by markers as
// well.
constexpr std::array<MethodColour, 28> colours{{
    {"#7f7f7f", "#a8b0ba"},  // grey
    {"#56b4e9", "#8fd0f5"},  // sky blue
    {"#e69f00", "#f0b030"},  // orange
    {"#009e73", "#2bc49a"},  // green
    {"#0072b2", "#4aa8e0"},  // blue
    {"#d55e00", "#f08040"},  // vermilion
    {"#cc79a7", "#de9cc0"},  // pink
    {"#1d2430", "#f4f6f8"},  // black, or white
    {"#8c564b", "#c08a7c"},  // brown
    {"#7b3fb5", "#b48ae6"},  // purple
    {"#17a2b8", "#4fd0e3"},  // teal
    {"#c1121f", "#ff6b6b"},  // red
    {"#6a8f00", "#a9cf3a"},  // olive
    {"#3f51b5", "#8795f0"},  // indigo
    {"#b8860b", "#dcb13c"},  // dark gold
    {"#ff5fa2", "#ff94c2"},  // rose
    {"#2e7d32", "#6fc274"},  // dark green
    {"#5c6b7a", "#93a5b8"},  // slate
    {"#a0006d", "#e05cb4"},  // magenta
    {"#00695c", "#45b5a4"},  // dark teal
    {"#8b0000", "#e08585"},  // dark red
    {"#4b6cff", "#9fb0ff"},  // bright blue
    {"#a05a00", "#d99a4a"},  // ochre
    {"#5b2a86", "#c39be0"},  // violet
    {"#0b8043", "#5fd08f"},  // emerald
    {"#b03a5b", "#e88aa5"},  // raspberry
    {"#37474f", "#b0bec5"},  // blue grey
    {"#9e9d24", "#d4d35a"},  // lime
}};

}  // namespace

MethodColour method_colour(std::size_t place) { return colours[place % colours.size()]; }

std::size_t method_colour_count() { return colours.size(); }

}  // namespace taut::report
