// The surfaces of shapes as small polygons, for pictures.
#pragma once

#include <vector>

#include "taut/collision/shape.hpp"

namespace taut::experiment::detail {

using Polygons = std::vector<std::vector<Vec3>>;

/// In the world, counter-clockwise seen from outside. Of a plane: a square about its origin, with
/// half the side `plane_size`.
Polygons faces_of(const collision::Shape& shape, const collision::Pose3& at, double plane_size);

}  // namespace taut::experiment::detail
