// Volume, centre of mass and inertia of shapes.
#pragma once

#include "taut/collision/shape.hpp"

namespace taut::collision {

/// For density 1.
struct MassProperties {
  double volume = 0;
  Vec3 centre = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();  ///< about the centre, along the axes of the shape's frame
};

/// Exact for every shape that has a volume, rounded ones too. A mesh must be closed; a plane and a
/// height field have none: Error.
MassProperties mass_properties(const Shape& shape);

}  // namespace taut::collision
