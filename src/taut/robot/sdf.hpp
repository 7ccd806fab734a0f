// Robots and worlds from SDF, the format of Gazebo. See docs/sdf.md.
#pragma once

#include <string>
#include <string_view>

#include "taut/robot/robot.hpp"

namespace taut::io {

/// `origin` stands for the file in messages. Other files are looked for in `folder`; where it is
/// empty there are none. Throws Error with one clear message: file, line, element, what was found,
/// what was expected.
Robot parse_sdf(std::string_view text, const std::string& origin, const std::string& folder);

}  // namespace taut::io
