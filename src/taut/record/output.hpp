// The report of a run as JSON, and small files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "taut/scene/scene.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut::io {

class Json;

/// Writes `text` to `path` through a temporary file beside it. Throws WriteError when it
/// cannot.
void write_file(const std::filesystem::path& path, std::string_view text);

/// The report object of `taut run`.
Json report_object(const Scene& scene, std::string_view method, const RunReport& report);
/// The same as text, indented.
std::string report_json(const Scene& scene, std::string_view method, const RunReport& report);

}  // namespace taut::io
