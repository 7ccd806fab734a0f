// On which side? Signs that are right whatever the rounding errors are.
#pragma once

#include "taut/base/types.hpp"

namespace taut::collision {

/// The sign of (b − a) × (c − a) · (d − a): 1 where a, b, c appear clockwise seen from d, −1
/// counter-clockwise, 0 in one plane. Exact for finite points, unless products of three coordinates
/// under- or overflow (below 10⁻²⁶⁰, above 10³⁰⁰).
int side_of_plane(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// The sign of (b − a) × (c − a) along one axis, of the projections: 1 counter-clockwise. Exact
/// likewise.
int side_of_line(const Vec3& a, const Vec3& b, const Vec3& c, int axis);

}  // namespace taut::collision
