// Robots from URDF files, read with urdfdom. See docs/urdf.md.
#pragma once

#include <string>
#include <string_view>

#include "taut/robot/robot.hpp"

namespace taut::io {

/// `origin` stands for the file in messages. Throws Error with one clear message: file, line,
/// element, what was found, what was expected.
Robot parse_urdf(std::string_view text, const std::string& origin);

}  // namespace taut::io
