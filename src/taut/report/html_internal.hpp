#pragma once

#include <string>
#include <string_view>

#include "taut/report/plot_data_internal.hpp"

namespace taut::report::detail {

/// A sign beside the word, so that a status is never told by colour alone.
std::string_view status_sign(Claim::Status status);

/// A picture as a figure with a drawing (SVG).
std::string picture_html(const Picture& picture);

/// A section with all that is in it; `id` is what links go to.
std::string section_html(const Section& section, const std::string& id);

}  // namespace taut::report::detail
