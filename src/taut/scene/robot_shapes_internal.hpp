// The collision elements of a robot as shapes.
#pragma once

#include <string>
#include <vector>

#include "taut/collision/shape_contacts.hpp"
#include "taut/model/system.hpp"
#include "taut/robot/robot.hpp"

namespace taut::io::detail {

/// Meshes become their convex hulls. One that cannot be read is left out, with a line in `ignored`
/// that names the robot.
std::vector<collision::BodyShape> robot_shapes(const System& system,
                                               const std::vector<LinkShape>& elements,
                                               const collision::Surface& surface,
                                               const std::string& robot,
                                               std::vector<std::string>& ignored);

}  // namespace taut::io::detail
