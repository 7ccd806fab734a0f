// Where the files are that a robot's file names: meshes, and parts of itself.
#pragma once

#include <filesystem>
#include <string>

namespace taut::io {

/// "package://name/…" and "model://name/…" are looked for in the folders above `folder`, other
/// names relative to it. The file need not be there.
std::filesystem::path robot_file_path(const std::string& name, const std::string& folder);

}  // namespace taut::io
