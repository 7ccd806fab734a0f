#pragma once

#include <filesystem>
#include <string>

namespace taut::cli {

/// The folder with the viewer's page: the given one, that of an installed taut, or that of the
/// source tree; empty if there is none. Throws Error for a given one without the page.
std::filesystem::path page_folder(const std::string& given);

}  // namespace taut::cli
