// Robots by name: files, and those that are built in.
#pragma once

#include <optional>
#include <string>

#include "taut/robot/robot.hpp"
#include "taut/scene/scene.hpp"

namespace taut::io::detail {

/// A file as seen from `folder`, else a built-in robot; without a folder only the latter. Throws
/// Error with `name` in front.
Robot load_robot(const std::string& name, const std::optional<std::string>& folder);

/// A scene of one robot under gravity, with its joints' positions as parameters.
Scene robot_scene(const std::string& name, std::span<const Setting> settings);

}  // namespace taut::io::detail
